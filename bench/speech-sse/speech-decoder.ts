/** Export of a contestant's module: reads a speech stream and passes its PCM on, in order. */
export interface SpeechDecoder {
  readonly decode: (body: AsyncIterable<Uint8Array>, onAudio: (pcm: Uint8Array) => void) => Promise<void>
}
