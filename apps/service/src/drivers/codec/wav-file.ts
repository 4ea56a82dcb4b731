import { type PcmFormat, wavHeader } from '@svc-audio/core/streaming'

import { Spool } from './spool.ts'

const CHUNK_HEADER_BYTES = 8

/** The four letters of the RIFF chunk that carries the marking (decisions: AIGC marking). */
const AIGC_CHUNK = 'AIGC'

/**
 * PCM as a WAV file with its true sizes; so the first byte comes after the last sample.
 *
 * @param aigc Goes, as UTF-8, into a top-level chunk `AIGC` behind the samples, where players skip it.
 * @param signal Frees what was put aside, when it aborts.
 * @throws RangeError when the samples do not fit the 4 GiB of a WAV file or have 8 bits, which WAV wants unsigned.
 */
export async function* wavFile(
  pcm: AsyncIterable<Uint8Array>,
  options: { readonly format: PcmFormat; readonly aigc: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const { format, aigc, signal } = options
  if (format.bitDepth === 8) throw new RangeError('PCM of 8 bits cannot be encoded')
  const marking = aigc === undefined ? new Uint8Array() : riffChunk(AIGC_CHUNK, new TextEncoder().encode(aigc))
  const spool = new Spool(signal)
  try {
    for await (const chunk of pcm) await spool.write(chunk)
    yield wavHeader(format, spool.byteLength, marking.byteLength)
    yield* spool.read()
    if (spool.byteLength % 2 === 1) yield new Uint8Array(1)
    if (marking.byteLength > 0) yield marking
  } finally {
    await spool.close()
  }
}

function riffChunk(id: string, content: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(CHUNK_HEADER_BYTES + content.byteLength + (content.byteLength % 2))
  new TextEncoder().encodeInto(id, chunk)
  new DataView(chunk.buffer).setUint32(4, content.byteLength, true)
  chunk.set(content, CHUNK_HEADER_BYTES)
  return chunk
}

/** The AIGC marking of a WAV file; `undefined` when it carries none, is cut before it, or is not a WAV file. */
export function readWavAigc(file: Uint8Array): string | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const letters = (offset: number): string => new TextDecoder('latin1').decode(file.subarray(offset, offset + 4))
  if (file.byteLength < 12 || letters(0) !== 'RIFF' || letters(8) !== 'WAVE') return undefined
  for (let offset = 12; offset + CHUNK_HEADER_BYTES <= file.byteLength;) {
    const size = view.getUint32(offset + 4, true)
    const start = offset + CHUNK_HEADER_BYTES
    if (start + size > file.byteLength) return undefined
    if (letters(offset) === AIGC_CHUNK) return new TextDecoder().decode(file.subarray(start, start + size))
    offset = start + size + (size % 2)
  }
  return undefined
}
