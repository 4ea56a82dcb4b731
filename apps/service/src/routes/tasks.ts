import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ServiceError } from '../domain/service-error.ts'
import type { Services } from '../services.ts'
import { cancelTask } from '../use-cases/tasks/cancel-task.ts'
import { viewTask, viewWebhook } from '../use-cases/tasks/task-view.ts'

const TaskParams = z.object({ task_id: z.string() })

/** `/v1/audio/tasks/{task_id}`. `DELETE` is an addition of this service: it cancels the task. */
export function taskRoutes(app: FastifyInstance, services: Services): void {
  const { tasks, outbox, links, backlog } = services
  const typed = app.withTypeProvider<ZodTypeProvider>()
  const path = '/v1/audio/tasks/:task_id'
  const schema = { params: TaskParams }
  const answer = async (tenant: string, id: string): Promise<object> => {
    const task = await tasks.find(tenant, id)
    if (task === undefined) throw taskNotFound()
    const webhook = task.webhookUrl === undefined ? undefined : await outbox.stateOf(task.id)
    const retryAfter = task.status === 'PENDING' ? await backlog.pollSeconds(tenant, task.kind) : undefined
    const view = viewTask(task, links, retryAfter)
    return webhook === undefined ? view : { ...view, ...viewWebhook(webhook) }
  }
  typed.get(path, { schema }, ({ params, tenant }) => answer(tenant, params.task_id))
  typed.delete(path, { schema }, async ({ params, tenant }) => {
    if (!(await cancelTask(services, tenant, params.task_id))) throw taskNotFound()
    return answer(tenant, params.task_id)
  })
}

function taskNotFound(): ServiceError {
  return new ServiceError(404, 'task_not_found', 'The task does not exist or has expired', { param: 'task_id' })
}
