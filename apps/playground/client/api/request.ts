import type { ErrorAnswer } from '../../shared/api.ts'

/** An answer of the playground's server that is not a success, in its own words. */
export class RequestError extends Error {
  override readonly name = 'RequestError' as const
}

/** What is shown when no answer comes. */
export const UNREACHABLE = 'The playground does not answer. Is it still running?'

/**
 * Fetches from the playground's server.
 * @throws RequestError when it refuses or cannot be reached; the signal's reason when it aborts
 */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, init).catch((error: unknown) => {
    init.signal?.throwIfAborted()
    throw new RequestError(UNREACHABLE, { cause: error })
  })
  if (!response.ok) throw new RequestError(messageIn(await response.text(), response.status))
  return response
}

/** Fetches JSON. The server is of the same build, so its answers are taken to be what `shared/api.ts` says. */
export async function requestJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await request(path, init)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return (await response.json()) as T
}

/** A `POST` of JSON. */
export function jsonPost(body: object, signal: AbortSignal): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal }
}

/** The message in an error's body; a plain one where there is none. */
export function messageIn(body: string, status: number): string {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- looked at field by field
    const answer = JSON.parse(body) as Partial<ErrorAnswer> | null
    if (typeof answer?.error?.message === 'string') return answer.error.message
  } catch {
    // not JSON: said below
  }
  return `The playground answered with status ${status}`
}

/** What went wrong, for people. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
