import type { Call, TaskHandle } from '@svc-audio/core/pure'
import type { INodeProperties } from 'n8n-workflow'
import type { Item } from './item.ts'
import type { ItemOutput } from './operation.ts'
import { outputJson } from './output-json.ts'
import { MAX_REGISTERED, RegisteredTasks } from './registered-tasks.ts'

/** The option that hands a task to the polling trigger. */
export const registerOption: INodeProperties = {
  displayName: 'Register for Polling',
  name: 'registerForPolling',
  type: 'boolean',
  default: true,
  description:
    'Whether the task starts the Svc Audio Trigger of this workflow, set to Polling, when it has ended. In queue mode, use a Webhook URL instead.',
}

/** The field Webhook URL as a part of a request; nothing when it is empty. */
export function webhookUrl({ form }: Item): { webhook_url?: string } {
  const url = form.text('webhookUrl').trim()
  return url === '' ? {} : { webhook_url: url }
}

/**
 * Starts a task and registers it, if the form says so. `taskId` is what the operations of Task want.
 * @throws FormError when too many tasks are registered
 */
export async function startTask(item: Item, start: () => Call<TaskHandle>): Promise<ItemOutput[]> {
  const isRegistered = item.form.boolean('options.registerForPolling') === true
  const tasks = isRegistered ? new RegisteredTasks(item.context) : undefined
  if ((tasks?.ids.length ?? 0) >= MAX_REGISTERED) {
    const fault = `${MAX_REGISTERED} tasks of this workflow are waiting for the trigger`
    throw item.form.error('options.registerForPolling', fault, 'Publish a Svc Audio Trigger set to Polling.')
  }
  const { creation, id } = await start()
  tasks?.add(id)
  return [{ json: { ...outputJson(creation), taskId: id } }]
}
