import type { FileSink } from '../transport/uploads.ts'
import type { PcmFormat } from './pcm-format.ts'
import { aigcChunk } from './wav-aigc.ts'
import { WAV_HEADER_BYTES, wavHeader } from './wav.ts'

/** What {@link writeWav} wrote, in bytes. */
export interface WrittenWav {
  /** Size of the file. */
  readonly bytes: number
  /** PCM in it. */
  readonly dataBytes: number
}

/**
 * Writes a WAV file with true sizes while its PCM arrives, in constant memory.
 *
 * @param aigc A marking, as {@link aigcValue} makes it; it goes behind the samples. @default none
 * @throws RangeError when the audio passes the 4 GiB of a WAV file
 */
export async function writeWav(
  sink: FileSink,
  format: PcmFormat,
  pcm: AsyncIterable<Uint8Array>,
  aigc?: string,
): Promise<WrittenWav> {
  let dataBytes = 0
  await sink.write(new Uint8Array(WAV_HEADER_BYTES))
  for await (const chunk of pcm) {
    await sink.write(chunk)
    dataBytes += chunk.byteLength
  }
  const padding = dataBytes % 2
  const mark = aigcChunk(aigc)
  if (padding > 0) await sink.write(new Uint8Array(padding))
  if (mark.byteLength > 0) await sink.write(mark)
  await sink.writeStart(wavHeader(format, dataBytes, mark.byteLength))
  return { bytes: WAV_HEADER_BYTES + dataBytes + padding + mark.byteLength, dataBytes }
}
