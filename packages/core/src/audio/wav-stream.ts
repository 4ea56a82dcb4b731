import type { PcmFormat } from './pcm-format.ts'
import { wavHeader, wavSamples } from './wav.ts'

/**
 * Makes a WAV of unknown length: a header with placeholder sizes, then the samples as they arrive. Use it for a live
 * upload from a microphone, or for speech that a page plays while it is synthesized. For a file on disk with true
 * sizes, use `encodeWav()` or `SpeechStream.saveTo()`.
 *
 * @param pcm Signed little-endian PCM, in chunks of any size.
 * @throws the error of reading the PCM
 * @example
 * await audio.transcriptions.create({ model, file: { data: wavStream(format, microphone), name: 'talk.wav' } })
 */
export async function* wavStream(
  format: PcmFormat,
  pcm: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield wavHeader(format, undefined)
  for await (const chunk of pcm) yield wavSamples(format, chunk)
}
