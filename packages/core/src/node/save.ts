import { WAV_HEADER_BYTES, wavHeader, wavSamples } from '../streaming/wav.ts'
import type { PcmFormat } from '../streaming/pcm-format.ts'
import { createFile, type FileSink } from './file-sink.ts'

/** Writes a file of these chunks. @returns Bytes written. */
export async function save(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  return saveFile(path, (sink) => writeChunks(sink, chunks))
}

/** Writes a WAV file, whose header comes last, since its sizes are known only then. @returns Bytes of PCM. */
export async function saveWav(
  path: string,
  format: PcmFormat,
  pcm: AsyncIterable<Uint8Array>,
  tail: Uint8Array = new Uint8Array(0),
): Promise<number> {
  return saveFile(path, async (sink) => {
    await sink.write(new Uint8Array(WAV_HEADER_BYTES))
    const bytes = await writeChunks(sink, pcm, (chunk) => wavSamples(format, chunk))
    await sink.write(new Uint8Array(bytes % 2))
    await sink.write(tail)
    await sink.writeStart(wavHeader(format, bytes, tail.byteLength))
    return bytes
  })
}

/** A file that appears only once `write` has succeeded; otherwise nothing of it stays. */
async function saveFile<Result>(path: string, write: (sink: FileSink) => Promise<Result>): Promise<Result> {
  const sink = await createFile(path)
  try {
    const result = await write(sink)
    await sink.commit()
    return result
  } catch (error) {
    await sink.discard()
    throw error
  }
}

async function writeChunks(
  sink: FileSink,
  chunks: AsyncIterable<Uint8Array>,
  convert: (chunk: Uint8Array) => Uint8Array = (chunk) => chunk,
): Promise<number> {
  let bytes = 0
  for await (const chunk of chunks) {
    await sink.write(convert(chunk))
    bytes += chunk.byteLength
  }
  return bytes
}
