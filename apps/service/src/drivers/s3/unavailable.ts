import { ObjectStoreUnavailableError } from '../../domain/errors.ts'

/** Errors that name a mistake of this program. */
const MISTAKES: ReadonlySet<string> = new Set(['RangeError', 'TypeError'])

/**
 * Returns ObjectStoreUnavailableError for every error of the client, and a mistake of this program unchanged. A store
 * that refuses this process (expired credentials, a role without rights) is as useless to it as one that does not
 * answer, and says as little about the task in work.
 */
export function unavailableOf(error: unknown): unknown {
  if (error instanceof ObjectStoreUnavailableError || !(error instanceof Error) || MISTAKES.has(error.name))
    return error
  const status = statusOf(error)
  if (status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429) {
    return new ObjectStoreUnavailableError(
      { cause: error },
      `The object store of S3_BUCKET refuses this process: ${error.name}`,
    )
  }
  return new ObjectStoreUnavailableError({ cause: error })
}

/** Whether the store does not have a call: not every store deletes many objects at once. */
export function isUnknownCall(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const status = statusOf(error)
  return error.name === 'NotImplemented' || error.name === 'MethodNotAllowed' || status === 501 || status === 405
}

function statusOf(error: Error): number | undefined {
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined
}

/** Waits for the client. @throws ObjectStoreUnavailableError for an error of the client */
export async function orUnavailable<T>(response: Promise<T>): Promise<T> {
  try {
    return await response
  } catch (error) {
    throw unavailableOf(error)
  }
}
