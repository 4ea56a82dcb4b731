import { defineEndpoint, json } from '../../http/endpoint.ts'
import { cancelTask } from '../../use-cases/tasks/accept.ts'
import { showTask, taskNotFound, TaskParams, TaskResponse } from './retrieve-task.ts'

/** `DELETE /v1/audio/tasks/{task_id}`. */
export const CANCEL_TASK = defineEndpoint({
  method: 'DELETE',
  path: '/v1/audio/tasks/:task_id',
  operationId: 'cancelTask',
  tag: 'tasks',
  summary: 'Cancels a task; an addition of this service. An ended task stays as it is',
  description: 'The work stops, and the task fails with the code `task_cancelled`. Its webhook is called.',
  rules: { page: 'apps/service/docs/api-behaviour.md' },
  params: TaskParams,
  content: json(TaskResponse),
  errors: [400, 404, 413, 415],
  handle:
    ({ services }) =>
    async ({ params, tenant }) => {
      if (!(await cancelTask(services, tenant, params.task_id))) throw taskNotFound()
      return showTask(services, tenant, params.task_id)
    },
})
