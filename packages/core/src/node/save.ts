import { WAV_HEADER_BYTES, wavHeader, wavSamples } from '../audio/wav.ts'
import type { PcmFormat } from '../audio/pcm-format.ts'
import { createFile, type FileSink } from './file-sink.ts'

/** Writes chunks to a file. @returns bytes written */
export async function save(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  return saveFile(path, (sink) => writeChunks(sink, chunks))
}

/** Writes a WAV file. The header is written last, when its sizes are known. @returns bytes of PCM */
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

/** Writes a file that appears only after `write` succeeds. On failure nothing remains. */
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
