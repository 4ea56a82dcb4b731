import { createHmac } from 'node:crypto'
import type { Task, TaskCreation, TaskStatus } from '@svc-audio/core'
import type { TaskObject } from '@svc-audio/core/interface'

/** The course of a task. */
export interface TaskPlan {
  /** Polls until the task ends; `Infinity` waits for `completeTask()`. @default the upstream's `polls` */
  readonly polls?: number
  /** Makes the task `FAILED` with this `error`. The interface leaves the structure open. */
  readonly error?: unknown
  /** Fields of a success to add or replace. */
  readonly result?: Readonly<Record<string, unknown>>
}

/** Data for a new task. */
export interface NewTask {
  readonly object: TaskObject
  /** Fields of the result, made for each response because a URL expires. */
  readonly result: () => object
  readonly modelId?: string
  readonly webhookUrl?: string
  /** @default 'PENDING' */
  readonly status?: TaskStatus
}

/** Dependencies of a task book. */
export interface TaskBookOptions {
  readonly polls: number
  readonly retryAfter?: number | undefined
  readonly seconds: () => number
  readonly nextId: () => string
}

interface Entry extends NewTask {
  readonly id: string
  readonly created: number
  updated: number
  status: TaskStatus
  plan: TaskPlan
  polled: number
}

/** All tasks of an upstream: PENDING, PROCESSING, and then SUCCESS or FAILED (interface: Task states). */
export class TaskBook {
  /** Called when a task with a `webhook_url` ends. */
  onDone: (url: string, task: Task) => void = () => {}
  readonly #options: TaskBookOptions
  readonly #entries = new Map<string, Entry>()
  readonly #plans: TaskPlan[] = []

  constructor(options: TaskBookOptions) {
    this.#options = options
  }

  /** Plans the next new task. Several plans apply in order. */
  plan(plan: TaskPlan): void {
    this.#plans.push(plan)
  }

  /** Drops the plans that no task has used. */
  forgetPlans(): void {
    this.#plans.length = 0
  }

  /** The plans that no task has used. */
  unusedPlans(): string[] {
    return this.#plans.length === 0 ? [] : [`${this.#plans.length} of nextTask()`]
  }

  create(task: NewTask): TaskCreation {
    const { seconds, nextId, retryAfter } = this.#options
    const id = nextId()
    const created = seconds()
    // A task of a stream starts as PROCESSING. Plans apply to asynchronous tasks only.
    const plan = (task.status === undefined ? this.#plans.shift() : undefined) ?? {}
    const entry: Entry = { status: 'PENDING', ...task, id, created, updated: created, plan, polled: 0 }
    this.#entries.set(id, entry)
    return {
      id,
      task_id: id,
      object: task.object,
      status: entry.status,
      ...(task.modelId === undefined ? {} : { model_id: task.modelId }),
      ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
      created_at: created,
      updated_at: created,
    }
  }

  /** Polls a task, which advances it. */
  poll(id: string): Task | undefined {
    const entry = this.#entries.get(id)
    if (entry === undefined) return undefined
    entry.polled += 1
    const { polls = this.#options.polls } = entry.plan
    if (entry.polled >= polls) this.#finish(entry)
    // With three polls or more, the first one still answers PENDING.
    else if (!isDone(entry) && (entry.polled > 1 || polls === 2)) this.#move(entry, 'PROCESSING')
    return this.#task(entry)
  }

  /**
   * Ends a task at once.
   * @param plan Replaces the planned end.
   * @throws Error if the task does not exist
   */
  complete(id: string, plan?: Omit<TaskPlan, 'polls'>): Task {
    const entry = this.#entries.get(id)
    if (entry === undefined) throw new Error(`There is no task ${id}`)
    if (plan !== undefined) entry.plan = { ...entry.plan, ...plan }
    this.#finish(entry)
    return this.#task(entry)
  }

  #finish(entry: Entry): void {
    if (isDone(entry)) return
    this.#move(entry, entry.plan.error === undefined ? 'SUCCESS' : 'FAILED')
    if (entry.webhookUrl !== undefined) this.onDone(entry.webhookUrl, this.#task(entry))
  }

  #move(entry: Entry, status: TaskStatus): void {
    if (entry.status === status) return
    entry.status = status
    entry.updated = this.#options.seconds()
  }

  #task(entry: Entry): Task {
    const { id, object, status, created: created_at, updated: updated_at, plan } = entry
    const { retryAfter } = this.#options
    const task: Task = { id, object, status, created_at, updated_at }
    if (status === 'SUCCESS') return { ...task, ...entry.result(), ...plan.result }
    if (status === 'FAILED') return { ...task, error: plan.error }
    return retryAfter === undefined ? task : { ...task, retry_after: retryAfter }
  }
}

function isDone({ status }: Entry): boolean {
  return status === 'SUCCESS' || status === 'FAILED'
}

/** One call of a `webhook_url`. */
export interface WebhookDelivery {
  /** The task that ended. */
  readonly taskId: string
  /** Its `webhook_url`. */
  readonly url: string
  /** Status of the receiver's response; absent without a response. */
  readonly status?: number
  /** Why no response came. */
  readonly error?: unknown
}

/** Dependencies of a delivery. */
interface WebhookOptions {
  readonly secret?: string | undefined
  /** Now, in Unix seconds. */
  readonly seconds: number
  readonly signal: AbortSignal
}

/**
 * Posts a finished task to its `webhook_url`, once. `http` addresses are called too.
 * The interface leaves payload and headers open. Like the self-hosted service, it posts the task object with the
 * headers of Standard Webhooks.
 */
export async function callWebhook(url: string, task: Task, options: WebhookOptions): Promise<WebhookDelivery> {
  const body = JSON.stringify(task)
  const id = `msg-${task.id}`
  const timestamp = String(options.seconds)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
  }
  if (options.secret !== undefined) headers['webhook-signature'] = sign(options.secret, `${id}.${timestamp}.${body}`)
  try {
    const { signal } = options
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    return { taskId: task.id, url, status: response.status }
  } catch (error) {
    return { taskId: task.id, url, error }
  }
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
