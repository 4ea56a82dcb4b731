import { defineEndpoint } from '../../http/endpoint.ts'
import { json } from '../../http/openapi/content.ts'
import { showTask, TaskParams, TaskResponse } from './task-response.ts'

/** `GET /v1/audio/tasks/{task_id}` (interface: Query task). */
export const RETRIEVE_TASK = defineEndpoint({
  method: 'GET',
  path: '/v1/audio/tasks/:task_id',
  operationId: 'retrieveTask',
  tag: 'tasks',
  summary: 'The state of a task, with its result on success',
  description:
    'Poll at the interval of `retry_after`. `SUCCESS` and `FAILED` are final. The fields of the result stand beside the status.',
  rules: ['task-query', 'task', 'states'],
  params: TaskParams,
  content: json(TaskResponse),
  errors: [404],
  handle:
    ({ services }) =>
    ({ params, tenant }) =>
      showTask(services, tenant, params.task_id),
})
