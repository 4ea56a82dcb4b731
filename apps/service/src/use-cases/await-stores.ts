import { errorCode } from '../domain/error-code.ts'
import { isStoreError } from '../domain/errors.ts'
import type { Services } from '../services.ts'

/** Time between two attempts of a start, in milliseconds. */
const START_RETRY_MS = 1000

/** SQLSTATEs of a wrong password, user or database name: no wait mends them. */
const MISTAKES = /^(?:28|3D)/

/**
 * Does a part of the start, and repeats it while a store does not work. The process listens in the meantime, and
 * `/readyz` says `starting`.
 * @throws What the part throws for any other reason, a wrong password or database name included
 */
export async function awaitStores<T>(
  { clock, log }: Pick<Services, 'clock' | 'log'>,
  part: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await part()
    } catch (error) {
      const cause: unknown = error instanceof Error ? error.cause : undefined
      if (!isStoreError(error) || MISTAKES.test(errorCode(cause))) throw error
      log.warn({ err: error }, 'the start waits for a store')
      await new Promise<void>((resolve) => void clock.setTimer(START_RETRY_MS, resolve))
    }
  }
}
