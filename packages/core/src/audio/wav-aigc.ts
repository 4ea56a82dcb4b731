import type { AigcMetadata } from '../wire/speech.ts'
import { wavChunks } from './wav-chunks.ts'

const CHUNK_HEADER_BYTES = 8
/** Id of the top-level RIFF chunk with the marking. */
const AIGC = 'AIGC'

/** Fields of the marking (interface: `aigc_metadata`). A field may be `undefined`. */
export type AigcMarking = { readonly [Field in keyof AigcMetadata]?: AigcMetadata[Field] | undefined }

/**
 * The implicit marking for the metadata of an audio file: one JSON value with the names of GB 45438-2025. `undefined`
 * unless enabled: by default nothing is written (interface: `aigc_metadata`).
 *
 * @param produceId Id of this file, e.g. that of its task
 */
export function aigcValue(metadata: AigcMarking | undefined, produceId: string): string | undefined {
  if (metadata?.enabled !== true) return undefined
  return JSON.stringify({
    AIGC: {
      Label: '1',
      ContentProducer: 'svc-audio',
      ProduceID: produceId,
      ReservedCode1: '',
      ContentPropagator: metadata.content_propagator ?? '',
      PropagateID: metadata.propagate_id ?? '',
      ReservedCode2: '',
    },
  })
}

/** The marking as a RIFF chunk with its pad byte. Players skip it. Empty without a marking. */
export function aigcChunk(aigc: string | undefined): Uint8Array<ArrayBuffer> {
  if (aigc === undefined) return new Uint8Array(0)
  const content = new TextEncoder().encode(aigc)
  const chunk = new Uint8Array(CHUNK_HEADER_BYTES + content.length + (content.length % 2))
  chunk.set(new TextEncoder().encode(AIGC))
  new DataView(chunk.buffer).setUint32(4, content.length, true)
  chunk.set(content, CHUNK_HEADER_BYTES)
  return chunk
}

/**
 * Reads the AIGC marking of a WAV file, unchanged. It is JSON if the writer followed the format. `undefined` if the
 * file has none, is cut before it, or is not a WAV file.
 */
export function readAigc(wav: Uint8Array): string | undefined {
  for (const { id, start, size } of wavChunks(wav)) {
    if (start + size > wav.length) return undefined
    if (id === AIGC) return new TextDecoder().decode(wav.subarray(start, start + size))
  }
  return undefined
}
