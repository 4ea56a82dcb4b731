import { z } from 'zod'
import { ServiceError } from '../../domain/service-error.ts'
import {
  defineEndpoint,
  json,
  taskObject,
  taskStatus,
  TranscriptionResponse,
  unixSeconds,
  named,
} from '../../http/endpoint.ts'
import type { Services } from '../../services.ts'
import { viewTask, viewWebhook } from '../../use-cases/tasks/task.ts'

/** Parameters of the path of a task. */
export const TaskParams = z.object({ task_id: z.string() })

const webhookState = named(
  'WebhookState',
  z.object({
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.int(),
    last_outcome: z.string().optional(),
    next_attempt_at: unixSeconds.optional(),
  }),
)

/** A task. On success it also has the fields of its result. */
export const TaskResponse = named(
  'Task',
  z.looseObject({
    id: z.string(),
    object: taskObject,
    status: taskStatus,
    created_at: unixSeconds,
    updated_at: unixSeconds,
    retry_after: z.int().optional().describe('Seconds until the next poll; present until the task ends'),
    error: named('TaskError', z.object({ code: z.string(), message: z.string() }))
      .optional()
      .describe('On failure'),
    url: z.url().optional().describe('Speech, on success'),
    response_format: z.string().optional().describe('Speech, on success'),
    content_type: z.string().optional().describe('Speech, on success'),
    model_id: z.string().optional().describe('Voice generation, on success'),
    text: z.string().optional().describe('Transcription, on success'),
    task: TranscriptionResponse.shape.task,
    duration: TranscriptionResponse.shape.duration,
    segments: TranscriptionResponse.shape.segments,
    ended_early: z.boolean().optional().describe('Transcription: the recording ends before it should'),
    webhook: webhookState.optional().describe('The state of its webhook'),
  }),
)

/**
 * Returns a task of a tenant as the interface shows it, with the state of its webhook.
 * @throws ServiceError 404 `task_not_found`
 */
export async function showTask(
  { stores: { tasks, outbox, backlog }, objects: { links } }: Services,
  tenant: string,
  id: string,
): Promise<object> {
  const task = await tasks.find(tenant, id)
  if (task === undefined) throw taskNotFound()
  const webhook = task.webhookUrl === undefined ? undefined : await outbox.stateOf(task.id)
  const retryAfter = task.status === 'PENDING' ? await backlog.pollSeconds(tenant, task.kind) : undefined
  const view = viewTask(task, links, retryAfter)
  return webhook === undefined ? view : { ...view, ...viewWebhook(webhook) }
}

/** The error of a task that does not exist or belongs to another tenant. */
export function taskNotFound(): ServiceError {
  return new ServiceError(404, 'task_not_found', 'The task does not exist or has expired', { param: 'task_id' })
}

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
