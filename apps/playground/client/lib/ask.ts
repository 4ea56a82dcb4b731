import { ConnectionError } from '@svc-audio/core/pure'
import type { ErrorResponse } from '../../shared/api.ts'
import { checkConnection } from '../shell/connection.ts'

/**
 * Calls the playground's own server. Page and server are one build, so the type of the answer is not checked.
 * @param send Sends the request, and shows it in the inspector.
 * @throws ConnectionError when it does not answer; Error with its message when it refuses; the signal's reason
 */
export async function ask<T>(send: typeof fetch, path: string, init: RequestInit): Promise<T> {
  const response = await send(path, init).catch((error: unknown) => {
    init.signal?.throwIfAborted()
    void checkConnection()
    throw new ConnectionError('The playground does not answer', { cause: error })
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  if (response.ok) return (await response.json()) as T
  throw new Error(await messageOf(response))
}

async function messageOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- looked at field by field
    const answer = JSON.parse(text) as Partial<ErrorResponse> | null
    if (typeof answer?.error?.message === 'string') return answer.error.message
  } catch {
    // Not JSON: the generic message follows.
  }
  return `The playground answered with status ${response.status}`
}
