import { ClientGoneError } from '../domain/client-gone-error.ts'
import { toServiceError } from '../domain/to-service-error.ts'
import type { TaskError } from '../ports/task-store.ts'

/** What a task says of its failure: no stack, no path. */
export function taskError(error: unknown): TaskError {
  if (error instanceof ClientGoneError) return { code: 'client_disconnected', message: error.message }
  const { code, message } = toServiceError(error)
  return { code, message }
}
