import type { Call, CallOptions, PureAudioClient, TaskHandle } from '@svc-audio/core/pure'
import type { IDataObject, IExecuteFunctions, INodeProperties, IPollFunctions } from 'n8n-workflow'
import { optionsField } from './fields.ts'
import { outputJson } from './item-files.ts'
import type { Item, ItemOutput, Operation } from './operation.ts'

/** Maximum tasks per workflow that wait for their end. */
const MAX_REGISTERED = 10_000

/** Address that the service calls when a task has ended. */
const webhookUrlField: INodeProperties = {
  displayName: 'Webhook URL',
  name: 'webhookUrl',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $execution.resumeUrl }}',
  description:
    'HTTPS address that the service calls when the task has ended. With the expression {{ $execution.resumeUrl }} it resumes a Wait node after this one. Leave it empty to use Wait for Completion.',
}

/** The option that hands a task to the polling trigger. */
const registerOption: INodeProperties = {
  displayName: 'Start the Svc Audio Trigger of This Workflow',
  name: 'registerForPolling',
  type: 'boolean',
  default: true,
  description:
    'Whether the task starts the trigger of this workflow when it has ended. The trigger must ask the service regularly. In queue mode, use a Webhook URL instead.',
}

/** Parts of an operation that {@link startTaskOperation} makes. */
export interface StartTaskParts<Body> extends Pick<Operation, 'resource' | 'action' | 'description' | 'takesAllItems'> {
  readonly fields: readonly INodeProperties[]
  readonly options: readonly INodeProperties[]
  /** The request that the form describes. */
  readonly body: (item: Item) => Body | Promise<Body>
  readonly create: (
    audio: PureAudioClient,
    body: Body & { readonly webhook_url?: string },
    call: CallOptions,
  ) => Call<TaskHandle>
}

/** Makes the operation **Start Task** of a resource. It outputs `taskId`, which the operations of Task want. */
export function startTaskOperation<Body extends object>(parts: StartTaskParts<Body>): Operation {
  const { fields, options, body, create, ...texts } = parts
  return {
    ...texts,
    operation: 'startTask',
    name: 'Start Task',
    fields: [...fields, webhookUrlField, optionsField([...options, registerOption])],
    async run(item) {
      const audio = await item.audio()
      const request = { ...(await body(item)), ...webhookUrl(item) }
      const call = await item.billableCall()
      return startTask(item, () => create(audio, request, call))
    },
  }
}

/** The field Webhook URL as a part of a request; nothing when it is empty. */
function webhookUrl({ form }: Item): { webhook_url?: string } {
  const url = form.text('webhookUrl').trim()
  return url === '' ? {} : { webhook_url: url }
}

/** Starts a task and registers it, if the form says so. @throws FormError when too many tasks are registered */
async function startTask(item: Item, start: () => Call<TaskHandle>): Promise<ItemOutput[]> {
  const isRegistered = item.form.boolean('options.registerForPolling') === true
  const tasks = isRegistered ? new RegisteredTasks(item.context) : undefined
  if ((tasks?.ids.length ?? 0) >= MAX_REGISTERED) {
    const fault = `${MAX_REGISTERED} tasks of this workflow are waiting for the trigger`
    throw item.form.error(
      'options.registerForPolling',
      fault,
      'Publish a Svc Audio Trigger that asks the service regularly.',
    )
  }
  const { creation, id } = await start()
  tasks?.add(id)
  return [{ json: { ...outputJson(creation), taskId: id } }]
}

/** What this process knows of the registered tasks of one workflow. */
interface Memory {
  readonly waiting: Set<string>
  /** Tasks that have ended, so that a copy of the stored data from before does not bring them back. */
  readonly ended: Set<string>
}

const memories = new Map<string, Memory>()

/**
 * The tasks that Start Task registered for the polling trigger of the same workflow. n8n stores them with the workflow.
 * Each run and the trigger have their own copy of the stored data and the last copy to be saved wins, so this process
 * remembers the tasks too and adds them to whatever copy is saved.
 */
export class RegisteredTasks {
  readonly #store: IDataObject
  readonly #memory: Memory

  constructor(context: IExecuteFunctions | IPollFunctions) {
    this.#store = context.getWorkflowStaticData('global')
    const key = context.getWorkflow().id ?? ''
    const memory = memories.get(key) ?? { waiting: new Set(), ended: new Set() }
    memories.set(key, memory)
    this.#memory = memory
  }

  /** Ids of the tasks that have not ended yet. */
  get ids(): string[] {
    const { svcAudioTasks: stored } = this.#store
    const { waiting, ended } = this.#memory
    const all = new Set([...(Array.isArray(stored) ? stored.map(String) : []), ...waiting])
    return [...all].filter((id) => !ended.has(id))
  }

  add(id: string): void {
    this.#memory.waiting.add(id)
    this.#memory.ended.delete(id)
    this.#store['svcAudioTasks'] = this.ids
  }

  /** Removes a task that has ended. */
  remove(id: string): void {
    const { waiting, ended } = this.#memory
    if (!this.ids.includes(id)) return
    waiting.delete(id)
    ended.add(id)
    for (const oldest of ended) {
      if (ended.size <= MAX_REGISTERED) break
      ended.delete(oldest)
    }
    this.#store['svcAudioTasks'] = this.ids
  }
}
