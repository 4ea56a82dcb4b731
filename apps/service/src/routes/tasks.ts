import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ServiceError } from '../domain/service-error.ts'
import type { Services } from '../services.ts'
import { viewTask, viewWebhook } from '../use-cases/tasks/task-view.ts'

const TaskParams = z.object({ task_id: z.string() })

/** `GET /v1/audio/tasks/{task_id}`. */
export function taskRoutes(app: FastifyInstance, { tasks, outbox, links }: Services): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .get('/v1/audio/tasks/:task_id', { schema: { params: TaskParams } }, async ({ params, tenant }) => {
      const task = await tasks.find(tenant, params.task_id)
      if (task === undefined) {
        throw new ServiceError(404, 'task_not_found', 'The task does not exist or has expired', { param: 'task_id' })
      }
      const webhook = task.webhookUrl === undefined ? undefined : await outbox.stateOf(task.id)
      return { ...viewTask(task, links), ...viewWebhook(webhook) }
    })
}
