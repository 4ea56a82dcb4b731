import type { Api } from '../transport/api.ts'
import type { Call, CallOptions } from '../transport/call.ts'
import type { Task } from '../wire/tasks.ts'
import { pathId } from './path-id.ts'

/** Reads a task (interface: `GET /v1/audio/tasks/{task_id}`). */
export function retrieveTask<Result extends Task>(api: Api, id: string, options?: CallOptions): Call<Result> {
  return api.json(() => ({ operation: 'tasks.retrieve', path: `/v1/audio/tasks/${pathId(id, 'task_id')}` }), options)
}
