import { Call, type CallOptions } from '../transport/call.ts'
import type { Task } from '../wire/tasks.ts'
import type { ClientContext } from './context.ts'
import { pathId } from './path-id.ts'
import { waiterOf } from './waiter-of.ts'

/**
 * Cancels a task: `DELETE /v1/audio/tasks/{task_id}`, an addition of the self-hosted service. Waits for the task end at
 * once. A service without it answers 404 or 405.
 */
export function cancelTask<Result extends Task>(
  context: ClientContext,
  id: string,
  options?: CallOptions,
): Call<Result> {
  return new Call(async () => {
    const path = `/v1/audio/tasks/${pathId(id, 'task_id')}`
    const request = { operation: 'tasks.cancel', method: 'DELETE', path } as const
    const answer = await context.api.answer<Result>(() => request, options)
    waiterOf(context).notify(id)
    return answer
  })
}
