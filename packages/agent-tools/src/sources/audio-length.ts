import { wavChunks } from '@svc-audio/core/adapter'
import type { AudioSource } from './allowed-file.ts'

/** The usual bytes before the samples. */
const HEADER_BYTES = 44

/**
 * Seconds of a WAV file, from its head and its size; `undefined` for anything else. It is for budgets: other chunks of
 * the file count as audio.
 */
export async function audioLength({ body, head }: AudioSource): Promise<number | undefined> {
  if (!('file' in body) || body.file.size === undefined) return undefined
  const start = head ?? (await firstBytes(body.file.data))
  if (start === undefined) return undefined
  for (const { id, start: at, size } of wavChunks(start)) {
    if (id !== 'fmt ' || size < 16 || at + 16 > start.byteLength) continue
    // The file says it for every encoding. Samples and their size may lie behind these bytes.
    const bytesPerSecond = new DataView(start.buffer, start.byteOffset).getUint32(at + 8, true)
    return bytesPerSecond === 0 ? undefined : (body.file.size - HEADER_BYTES) / bytesPerSecond
  }
  return undefined
}

async function firstBytes(data: unknown): Promise<Uint8Array | undefined> {
  if (typeof data !== 'function') return undefined
  const stream: unknown = data()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sources open streams of bytes
  for await (const chunk of stream as AsyncIterable<Uint8Array>) return chunk
  return undefined
}
