import type { Task } from '@svc-audio/core/pure'
import type { IDataObject, INodeExecutionData, IPollFunctions, IWebhookFunctions } from 'n8n-workflow'

/** Stands for the status of a task that the service no longer has. */
export const GONE = 'GONE'

/** The states in which a task has ended (interface: Task states). */
const TERMINAL: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED'])

/** Maximum ids per trigger that this process remembers. */
const MAX_REMEMBERED = 10_000

/** Maximum ids per trigger that n8n stores with the workflow. A service repeats a callback for a day at most. */
const MAX_STORED = 500

/** What a trigger makes of a callback. */
export interface Outcome {
  /** HTTP status of the response. */
  readonly status: number
  readonly message: string
  /** What the workflow starts with, if it starts. */
  readonly workflowData?: INodeExecutionData[][]
}

/** What this process knows of the tasks of one trigger. */
interface Memory {
  /** Ids that have started the workflow, the oldest first. */
  readonly started: Set<string>
  /** Callbacks that are handled now, by task id. */
  readonly running: Map<string, Promise<Outcome>>
  /** Whether a poll is running. */
  isPolling: boolean
}

const memories = new Map<string, Memory>()

/**
 * The tasks that have started a trigger's workflow. n8n gives each callback its own copy of the stored data and the last
 * copy to be saved wins, so this process remembers the tasks too and adds them to whatever copy is saved.
 */
export class StartedTasks {
  readonly #store: IDataObject
  readonly #memory: Memory

  constructor(context: IPollFunctions | IWebhookFunctions) {
    this.#store = context.getWorkflowStaticData('node')
    const key = `${context.getWorkflow().id ?? ''} ${context.getNode().id}`
    const memory = memories.get(key) ?? { started: new Set(), running: new Map(), isPolling: false }
    memories.set(key, memory)
    this.#memory = memory
  }

  /** Whether the task has started the workflow, as far as this process and the stored data know. */
  has(id: string): boolean {
    return this.#memory.started.has(id) || this.#stored.includes(id)
  }

  /** Remembers a task. The oldest tasks beyond a limit are forgotten. */
  add(id: string): void {
    const { started } = this.#memory
    started.delete(id)
    started.add(id)
    for (const oldest of started) {
      if (started.size <= MAX_REMEMBERED) break
      started.delete(oldest)
    }
    const others = this.#stored.filter((one) => !started.has(one))
    this.#store['seen'] = [...others, ...started].slice(-MAX_STORED)
  }

  /**
   * Handles a callback once: a callback for a task that is being handled shares the outcome but does not start the
   * workflow.
   */
  async once(id: string, handle: () => Promise<Outcome>): Promise<Outcome> {
    const { running } = this.#memory
    const first = running.get(id)
    if (first !== undefined) {
      const { status, message } = await first
      return { status, message }
    }
    if (this.has(id)) return { status: 200, message: 'This task has started the workflow before' }
    const own = this.#start(id, handle)
    running.set(id, own)
    return own
  }

  /** Runs a poll, unless one is still running. @returns `undefined` if one is */
  async alone<Result>(poll: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#memory.isPolling) return undefined
    this.#memory.isPolling = true
    try {
      return await poll()
    } finally {
      this.#memory.isPolling = false
    }
  }

  async #start(id: string, handle: () => Promise<Outcome>): Promise<Outcome> {
    try {
      const outcome = await handle()
      // Before it leaves `running`: a second callback could come between.
      if (outcome.workflowData !== undefined) this.add(id)
      return outcome
    } finally {
      this.#memory.running.delete(id)
    }
  }

  get #stored(): string[] {
    const { seen } = this.#store
    return Array.isArray(seen) ? seen.map(String) : []
  }
}

/** Whether a task has ended. */
export function isFinished({ status }: Task): boolean {
  return TERMINAL.has(status)
}

/** A task that the service no longer has, as the workflow gets it. */
export function goneTask(id: string): IDataObject {
  return { id, status: GONE, error: { code: 'task_not_found', message: 'The service no longer has this task' } }
}
