import type { PcmFormat } from './pcm-format.ts'
import { wavHeader, wavSamples } from './wav.ts'

/**
 * A WAV whose length is not known yet: a header with placeholder sizes, then the samples as they come. For a microphone
 * that is uploaded while it records, or speech that a page plays while it is spoken. A file on disk deserves true sizes:
 * use `encodeWav()` or `SpeechStream.saveTo()`.
 *
 * @param pcm Signed little-endian PCM, in chunks of any size.
 * @throws what reading the PCM throws
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
