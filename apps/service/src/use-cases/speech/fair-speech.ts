import type { Synthesis } from '../../ports/speech-engine.ts'
import type { FairSemaphore } from '../../domain/fair-semaphore.ts'

/**
 * Makes each chunk of a speech in its tenant's turn. A slot is held only while a chunk is made: a slow client does not
 * delay others.
 */
export function fairSpeech(
  synthesis: Synthesis,
  semaphore: FairSemaphore,
  { tenant, signal }: { readonly tenant: string; readonly signal: AbortSignal },
): Synthesis {
  return {
    format: synthesis.format,
    chunks: takeTurns(synthesis.chunks, (next) => semaphore.use(tenant, signal, next)),
  }
}

async function* takeTurns(
  chunks: AsyncIterable<Uint8Array>,
  inTurn: <T>(next: () => Promise<T>) => Promise<T>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await inTurn(() => source.next())
      if (done === true) return
      yield value
    }
  } finally {
    await source.return?.()
  }
}
