import { ApiError } from '../errors/service-errors.ts'
import { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { Task } from '../wire/tasks.ts'
import type { ClientContext } from './context.ts'
import { pathId } from './path-id.ts'

/**
 * Cancels a task: `DELETE /v1/audio/tasks/{task_id}`, an addition of the self-hosted service. Waits for the task end at
 * once.
 */
export function cancelTask<Result extends Task>(
  { api, waiter }: Pick<ClientContext, 'api' | 'waiter'>,
  id: string,
  options?: CallOptions,
): Call<Result> {
  return new Call(async () => {
    const path = `/v1/audio/tasks/${pathId(id, 'task_id')}`
    const answer = await api
      .answer<Result>(() => ({ method: 'DELETE', path }), options)
      .catch((error: unknown) => {
        throw explain(error)
      })
    waiter.notify(id)
    return answer
  })
}

/** Says that the service may not have the endpoint. Other errors stay as they are. */
function explain(error: unknown): unknown {
  if (!ApiError.isInstance(error)) return error
  const { status, code, param, type, requestId, retryAfter, message } = error
  const missing = status === 405 || status === 501 || (status === 404 && code !== 'task_not_found')
  if (!missing) return error
  const unknown = status === 404 ? 'the task is unknown, or ' : ''
  const text = `The task cannot be cancelled: ${unknown}the service does not offer it. DELETE /v1/audio/tasks/{task_id} is an addition of the self-hosted service. ${message}`
  return new ApiError(text, { status, code, param, type, requestId, retryAfter })
}
