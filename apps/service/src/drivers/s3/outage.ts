import { ObjectStoreUnavailableError } from '../../domain/errors.ts'

/** Errors that name a mistake of the operator or of this program. They need no retry. */
const MISTAKES: ReadonlySet<string> = new Set(['CredentialsProviderError', 'RangeError', 'TypeError'])

/**
 * Whether an error of the client says that the store cannot answer now: no connection, a cut one, no answer in time, an
 * answer of 500 and more, or too many requests. An answer of 400 to 499 is a mistake in the set-up.
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error) || MISTAKES.has(error.name)) return false
  const status = statusOf(error)
  return status === undefined || status < 300 || status >= 500 || status === 408 || status === 429
}

function statusOf(error: Error): number | undefined {
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined
}

/** Returns ObjectStoreUnavailableError for an outage, and any other error unchanged. */
export function outageOf(error: unknown): unknown {
  return isOutage(error) ? new ObjectStoreUnavailableError({ cause: error }) : error
}

/** Waits for the client. @throws ObjectStoreUnavailableError for an outage; else what the client throws */
export async function orOutage<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw outageOf(error)
  }
}

/** Reads the body of an answer. @throws ObjectStoreUnavailableError when the connection is cut */
export async function* bodyOrOutage(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of body) yield chunk
  } catch (error) {
    throw new ObjectStoreUnavailableError({ cause: error })
  }
}
