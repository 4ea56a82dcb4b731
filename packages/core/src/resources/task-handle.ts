import { ProtocolError, TaskTimeoutError } from '../errors.ts'
import { TaskWaiter, type WaitOptions } from '../tasks/index.ts'
import { type Api, type ApiRequest, Call, type CallOptions } from '../transport/index.ts'
import type { SpeechTask, Task, TaskCreation } from '../wire/index.ts'
import { type ClientContext, pathId } from './resource.ts'

/**
 * A task that the service has accepted. Another process needs only its id: `audio.tasks.wait(id)`.
 *
 * `timeout` and `signal` of the creation also apply to {@link TaskHandle.wait}, unless it gets its own. The deadline
 * covers upload, creation and wait together.
 */
export class TaskHandle<Result extends Task = Task> {
  /** The id to query. */
  readonly id: string
  /** The response to the creation, unchanged. */
  readonly creation: TaskCreation
  readonly #context: ClientContext
  readonly #options: CallOptions
  readonly #start: number

  /** @param start Start of the creation, by the client's clock */
  constructor(creation: TaskCreation, context: ClientContext, options: CallOptions, start: number) {
    this.creation = creation
    // Usually both are equal. The interface says to query `task_id`.
    this.id = creation.task_id ?? creation.id
    this.#context = context
    this.#options = options
    this.#start = start
  }

  /** Reads the current state of the task. */
  retrieve(options?: CallOptions): Call<Result> {
    return retrieveTask(this.#context.api, this.id, options)
  }

  /**
   * Cancels the task. It ends as `FAILED`. A task that has ended stays as it is. Not part of the interface: the
   * self-hosted service offers it.
   * @returns the task
   * @throws ApiError 404 or 405 when the service does not offer it
   */
  cancel(options?: CallOptions): Call<Result> {
    return cancelTask(this.#context, this.id, options)
  }

  /**
   * Waits until the task has ended.
   * @throws TaskFailedError with the error of the service
   * @throws TaskTimeoutError when the deadline passes; it has the id, and the task continues
   */
  async wait(options: WaitOptions = {}): Promise<Result> {
    const { signal = this.#options.signal, timeout = this.#remaining() } = options
    const { retry_after: notBefore } = this.creation
    const task = await waiterOf(this.#context).wait(this.id, { ...options, signal, timeout, notBefore })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the endpoint that made the task names its fields
    return task as Result
  }

  #remaining(): number | undefined {
    const { timeout } = this.#options
    if (timeout === undefined) return undefined
    const left = this.#start + timeout - this.#context.api.clock.now()
    if (left <= 0) throw new TaskTimeoutError(this.id, timeout)
    return left
  }
}

/**
 * Cancels a task: `DELETE /v1/audio/tasks/{task_id}`, an addition of the self-hosted service. Waits for the task end at
 * once. A service without it answers 404 or 405.
 */
export function cancelTask<Result extends Task>(
  context: ClientContext,
  id: string,
  options?: CallOptions,
): Call<Result> {
  return new Call(async () => {
    const path = `/v1/audio/tasks/${pathId(id, 'task_id')}`
    const request = { operation: 'tasks.cancel', method: 'DELETE', path } as const
    const answer = await context.api.answer<Result>(() => request, options)
    waiterOf(context).notify(id)
    return answer
  })
}

/** Sends a request for a task. */
export function createTask<Result extends SpeechTask>(
  context: ClientContext,
  request: () => ApiRequest | Promise<ApiRequest>,
  options: CallOptions = {},
): Call<TaskHandle<Result>> {
  return new Call(async () => {
    const start = context.api.clock.now()
    const { data, response } = await context.api.answer<TaskCreation>(request, options)
    return { data: new TaskHandle<Result>(data, context, options, start), response }
  })
}

/** Options of `createAndWait()`. `timeout` and `signal` cover the creation and the wait together. */
export interface CreateAndWaitOptions extends CallOptions, Pick<WaitOptions, 'pollInterval' | 'onUpdate'> {}

/** A task in `SUCCESS`, with the fields of its result. */
export type FinishedTask<Result extends Task, Field extends keyof Result> = Omit<Result, 'status' | Field> & {
  /** The task has succeeded. */
  readonly status: 'SUCCESS'
} & { readonly [Name in Field]-?: NonNullable<Result[Name]> }

/**
 * Creates a task and waits for its end.
 * @param field The field that a finished task must have.
 * @throws ProtocolError if the finished task has no such text
 */
export async function createAndWait<Result extends Task, Field extends keyof Result & string>(
  create: (options: CallOptions) => Promise<TaskHandle<Result>>,
  field: Field,
  { pollInterval, onUpdate, ...call }: CreateAndWaitOptions,
): Promise<FinishedTask<Result, Field>> {
  const handle = await create(call)
  const task = await handle.wait({
    ...(pollInterval === undefined ? {} : { pollInterval }),
    ...(onUpdate === undefined ? {} : { onUpdate }),
  })
  if (typeof task[field] !== 'string') {
    throw new ProtocolError(`Task ${handle.id} ended in SUCCESS without \`${field}\``)
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `wait()` resolves in SUCCESS only, and the field was checked
  return task as unknown as FinishedTask<Result, Field>
}

/** Reads a task (interface: `GET /v1/audio/tasks/{task_id}`). */
export function retrieveTask<Result extends Task>(api: Api, id: string, options?: CallOptions): Call<Result> {
  return api.json(() => ({ operation: 'tasks.retrieve', path: `/v1/audio/tasks/${pathId(id, 'task_id')}` }), options)
}

/** Deadline of one poll of a task, in milliseconds. The next poll is a new request. */
const POLL_TIMEOUT = 60_000

/**
 * The scheduler of all waits of a client. It is created with the first wait, so an app without tasks does not bundle it.
 * A derived client shares the scheduler of its parent.
 */
export function waiterOf(context: ClientContext): TaskWaiter {
  const { api, random, checkOptions, parent } = context
  context.waiter ??= new TaskWaiter(
    {
      read: (id, signal) => retrieveTask(api, id, { signal, maxRetries: 0, timeout: POLL_TIMEOUT }),
      clock: api.clock,
      random,
      redact: api.redact,
      checkOptions,
    },
    parent && waiterOf(parent),
  )
  return context.waiter
}
