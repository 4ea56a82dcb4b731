import { createHash, randomFillSync } from 'node:crypto'

/** Shape of a speech stream. */
export interface SpeechShape {
  /** PCM bytes of one `speech.audio.delta`. */
  readonly deltaBytes: number
  readonly deltas: number
  /** Bytes of one network chunk. */
  readonly chunkBytes: number
}

/** A speech stream as server-sent events, ready in memory. */
export interface SpeechBody {
  readonly chunks: readonly Uint8Array[]
  /** SHA-256 of all its PCM. */
  readonly digest: string
}

/** Number of different deltas; after them they repeat. */
const DIFFERENT = 64

/** Makes a stream in the interface's form (Streaming speech events), with noise as audio. */
export function makeSpeech({ deltaBytes, deltas, chunkBytes }: SpeechShape): SpeechBody {
  const hash = createHash('sha256')
  const pcm = Array.from({ length: Math.min(DIFFERENT, deltas) }, () => randomFillSync(Buffer.alloc(deltaBytes)))
  const frames = pcm.map((audio) => frame({ type: 'speech.audio.delta', audio: audio.toString('base64') }))
  const parts = [frame({ type: 'speech.created', format: 'pcm', sample_rate: 24_000, channels: 1, bit_depth: 16 })]
  for (let index = 0; index < deltas; index += 1) {
    hash.update(at(pcm, index % pcm.length))
    parts.push(at(frames, index % frames.length))
  }
  parts.push(frame({ type: 'speech.audio.done' }))
  return { chunks: cut(Buffer.concat(parts), chunkBytes), digest: hash.digest('hex') }
}

/** The body, delivered at minimal cost. Without a network, only decoding is measured. */
export function deliver(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = chunks[Symbol.iterator]()
      return { next: () => Promise.resolve(iterator.next()) }
    },
  }
}

function frame(event: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
}

function cut(whole: Buffer, chunkBytes: number): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let from = 0; from < whole.length; from += chunkBytes) chunks.push(whole.subarray(from, from + chunkBytes))
  return chunks
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new RangeError(`Nothing at ${index}`)
  return item
}
