import type { ErrorAnswer } from '../../shared/api.ts'

/** An error answer of the playground's server, with the server's message. */
export class RequestError extends Error {
  override readonly name = 'RequestError' as const
}

/** Message when the server does not answer. */
export const UNREACHABLE = 'The playground does not answer. Is it still running?'

/**
 * Fetches from the playground's server.
 * @throws RequestError when the server refuses or cannot be reached; the signal's reason after an abort
 */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, init).catch((error: unknown) => {
    init.signal?.throwIfAborted()
    throw new RequestError(UNREACHABLE, { cause: error })
  })
  if (!response.ok) throw new RequestError(messageIn(await response.text(), response.status))
  return response
}

/** Fetches JSON. Page and server are one build, so the answer's type from `shared/api.ts` is not checked. */
export async function requestJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await request(path, init)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return (await response.json()) as T
}

/** Options of a `POST` with a JSON body. */
export function jsonPost(body: object, signal: AbortSignal): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal }
}

/** Returns the message of an error body, or a generic message. */
export function messageIn(body: string, status: number): string {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- looked at field by field
    const answer = JSON.parse(body) as Partial<ErrorAnswer> | null
    if (typeof answer?.error?.message === 'string') return answer.error.message
  } catch {
    // Not JSON: the generic message follows.
  }
  return `The playground answered with status ${status}`
}

/** Describes an error for the page. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
