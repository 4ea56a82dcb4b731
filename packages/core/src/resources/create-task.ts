import type { ApiRequest } from '../transport/api.ts'
import { Call, type CallOptions } from '../transport/call.ts'
import type { SpeechTask, TaskCreation } from '../wire/tasks.ts'
import type { ClientContext } from './context.ts'
import { TaskHandle } from './task-handle.ts'

/** Sends a request for a task. */
export function createTask<Result extends SpeechTask>(
  context: ClientContext,
  request: () => ApiRequest | Promise<ApiRequest>,
  options: CallOptions = {},
): Call<TaskHandle<Result>> {
  return new Call(async () => {
    const start = context.api.clock.now()
    const { data, response } = await context.api.answer<TaskCreation>(request, options)
    return { data: new TaskHandle<Result>(data, context, options, start), response }
  })
}
