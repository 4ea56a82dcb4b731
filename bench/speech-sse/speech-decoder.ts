/** What a contestant's module exports: it reads a speech stream and hands over its PCM, in order. */
export interface SpeechDecoder {
  readonly decode: (body: AsyncIterable<Uint8Array>, onAudio: (pcm: Uint8Array) => void) => Promise<void>
}
