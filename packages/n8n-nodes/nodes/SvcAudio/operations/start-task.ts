import type { Call, TaskHandle } from '@svc-audio/core/pure'
import type { Item } from './item.ts'
import type { ItemOutput } from './operation.ts'

/** The field Webhook URL as a part of a request; nothing when it is empty. */
export function webhookUrl({ form }: Item): { webhook_url?: string } {
  const url = form.text('webhookUrl').trim()
  return url === '' ? {} : { webhook_url: url }
}

/** The answer that created a task. `task_id` is what the operations of Task want. */
export async function startedTask(call: Call<TaskHandle>): Promise<ItemOutput[]> {
  const { creation, id } = await call
  return [{ json: { ...creation, task_id: id } }]
}
