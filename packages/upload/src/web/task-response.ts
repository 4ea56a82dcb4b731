import type { TaskCreation } from '@svc-audio/core'

/** A response 202 with a new task, and `Retry-After` if the service named a polling interval. */
export function taskResponse(creation: TaskCreation): Response {
  const { retry_after: seconds } = creation
  const headers: Record<string, string> =
    typeof seconds === 'number' ? { 'retry-after': String(Math.ceil(seconds)) } : {}
  return Response.json(creation, { status: 202, headers })
}
