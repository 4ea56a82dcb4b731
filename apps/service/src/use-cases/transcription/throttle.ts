import type { FairPlaces } from '../../domain/fair-semaphore.ts'
import { RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'

/** Length of one piece, in seconds of audio: about a second of work. */
const PIECE_SECONDS = 5

const PIECE_BYTES = PIECE_SECONDS * 2 * RECOGNITION_SAMPLE_RATE

/** Tenant, signal and cost of paced work. */
export interface ThrottleOptions {
  readonly tenant: string
  readonly signal: AbortSignal
  /** Estimated processor time of one second of audio, in milliseconds. */
  readonly cost: number
}

/**
 * Lets a recording take turns with other work, piece by piece: between two pieces, work of another tenant gets the
 * processor. The engine reads only a few seconds ahead of its work. The turn of the last piece lasts until the end of
 * the work.
 * @param work Reads the paced audio.
 */
export async function throttled<T>(
  chunks: AsyncIterable<Uint8Array>,
  semaphore: FairPlaces,
  { tenant, signal, cost }: ThrottleOptions,
  work: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  let release: (() => void) | undefined
  let over = false
  const pieces = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    let left = 0
    for await (const chunk of chunks) {
      if (left <= 0) {
        release?.()
        release = undefined
        const turn = await semaphore.acquire(tenant, signal, cost * PIECE_SECONDS)
        // The work may have ended while its reader waited.
        if (over) {
          turn()
          return
        }
        release = turn
        left = PIECE_BYTES
      }
      left -= chunk.byteLength
      yield chunk
    }
  }
  try {
    return await work(pieces())
  } finally {
    over = true
    release?.()
  }
}
