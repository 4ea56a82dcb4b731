import { type PureAudioClient, type Task, TaskFailedError } from '@svc-audio/core/pure'
import type { IconName } from '../../components/button.tsx'
import { type Failure, failureOf } from '../../lib/calls.ts'
import type { TaskKind } from './draft.ts'
import { createStore, type Store } from '../../lib/store.ts'

/** Names and icons of the kinds. */
export const KIND_VIEWS: Readonly<Record<TaskKind, { readonly label: string; readonly icon: IconName }>> = {
  speech: { label: 'Speech', icon: 'speak' },
  dialogue: { label: 'Dialogue', icon: 'dialogue' },
  transcription: { label: 'Transcription', icon: 'transcribe' },
}

/** A task in the list. It survives a reload; the state of the task is read again. */
export interface TaskEntry {
  readonly id: string
  /** `undefined` for a task of another program that was opened by its id. */
  readonly kind?: TaskKind
  readonly title: string
  /** Unix milliseconds, of this browser. */
  readonly createdAt: number
  /** From the creation to its end, as this page saw it, in milliseconds. */
  readonly tookMs?: number
  /** Whether the service calls the playground when the task ends. */
  readonly webhook: boolean
}

/** What the page knows of a task. */
export interface TaskState {
  /** The last response of the service. */
  readonly task?: Task
  /** Why the state cannot be read. */
  readonly failure?: Failure
}

/** State of a task for the page. `gone`: the service does not know it. `unread`: it could not be read yet. */
export type Phase = 'unread' | 'queued' | 'working' | 'done' | 'failed' | 'cancelled' | 'gone'

/** Names of the phases. */
export const PHASE_LABELS: Readonly<Record<Phase, string>> = {
  unread: 'Reading',
  queued: 'Queued',
  working: 'Processing',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
  gone: 'Not found',
}

/** The phase of a task. */
export function phaseOf({ task, failure }: TaskState): Phase {
  if (failure?.code === 'task_not_found') return 'gone'
  if (task === undefined) return 'unread'
  if (task.status === 'SUCCESS') return 'done'
  if (task.status === 'FAILED') return errorOf(task).code === 'task_cancelled' ? 'cancelled' : 'failed'
  return task.status === 'PENDING' ? 'queued' : 'working'
}

/** Whether the state does not change any more. */
export function isEnded(phase: Phase): boolean {
  return phase === 'done' || phase === 'failed' || phase === 'cancelled' || phase === 'gone'
}

/** Code and message of a failed task. The interface does not document its error, so both may be missing. */
export function errorOf({ error }: Task): { readonly code?: string; readonly message?: string } {
  if (typeof error === 'string') return { message: error }
  if (typeof error !== 'object' || error === null) return {}
  const code: unknown = Reflect.get(error, 'code')
  const message: unknown = Reflect.get(error, 'message')
  return { ...(typeof code === 'string' ? { code } : {}), ...(typeof message === 'string' ? { message } : {}) }
}

/** Maximum number of tasks in the list. */
export const MAX_ENTRIES = 50

/** Adds a task in front. An entry with the same id is replaced, and the oldest beyond {@link MAX_ENTRIES} leave. */
export function addEntry(entries: readonly TaskEntry[], entry: TaskEntry): readonly TaskEntry[] {
  return [entry, ...entries.filter(({ id }) => id !== entry.id)].slice(0, MAX_ENTRIES)
}

const NOTHING: TaskState = {}

/** Reads the states of several tasks until they have ended. */
export class TaskWatcher {
  /** States by the id of the task. */
  readonly states: Store<ReadonlyMap<string, TaskState>> = createStore<ReadonlyMap<string, TaskState>>(new Map())
  readonly #client: PureAudioClient
  readonly #waits = new Map<string, AbortController>()

  constructor(client: PureAudioClient) {
    this.#client = client
  }

  /** The state of a task. */
  of(id: string): TaskState {
    return this.states.get().get(id) ?? NOTHING
  }

  /** Follows a task. Without effect for one that is followed already or has ended. */
  watch(id: string): void {
    if (this.#waits.has(id) || isEnded(phaseOf(this.of(id)))) return
    const controller = new AbortController()
    const { signal } = controller
    this.#waits.set(id, controller)
    this.#client.tasks
      .wait(id, { signal, onUpdate: (task) => this.#set(id, { task }) })
      .catch((error: unknown) => {
        // The last update has shown the failed task.
        if (signal.aborted || TaskFailedError.isInstance(error)) return
        this.#set(id, { ...this.of(id), failure: failureOf(error) })
      })
      .finally(() => {
        if (this.#waits.get(id) === controller) this.#waits.delete(id)
      })
  }

  /** Cancels a task in the service. Its wait then reads the new state. @throws errors of the client */
  async cancel(id: string): Promise<void> {
    this.#set(id, { task: await this.#client.tasks.cancel(id) })
  }

  /** Reads a task at once: its webhook has arrived. */
  notify(id: string): void {
    this.#client.tasks.notify(id)
  }

  /** Ends all waits. The tasks continue. */
  close(): void {
    for (const controller of this.#waits.values()) controller.abort()
    this.#waits.clear()
  }

  #set(id: string, state: TaskState): void {
    this.states.set(new Map(this.states.get()).set(id, state))
  }
}
