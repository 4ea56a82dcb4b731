import { randomUUID } from 'node:crypto'
import type { AudioStore } from '../../src/index.ts'

/** A second driver of the port, as an application could write one for its database. */
export function memoryAudioStore(): AudioStore {
  const kept = new Map<string, { contentType: string; bytes: Buffer }>()
  return {
    async put(audio, { contentType, signal }) {
      const chunks: Uint8Array[] = []
      for await (const chunk of audio) chunks.push(chunk)
      signal?.throwIfAborted()
      const id = randomUUID()
      const bytes = Buffer.concat(chunks)
      kept.set(id, { contentType, bytes })
      return { id, contentType, bytes: bytes.byteLength, url: `https://cdn.example.com/${id}` }
    },
    async open(id) {
      const found = kept.get(id)
      if (found === undefined) return undefined
      const { contentType, bytes } = found
      return { contentType, bytes: bytes.byteLength, stream: () => new Blob([new Uint8Array(bytes)]).stream() }
    },
  }
}
