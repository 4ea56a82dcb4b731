import { type PureAudioClient, type Task, TaskFailedError, type Voice } from '@svc-audio/core/pure'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { WebhookAddress, WebhookArrival, WebhooksResponse } from '../../../shared/api.ts'
import type { IconName } from '../../components/button.tsx'
import { type Failure, failureOf, type Job, useJob, useLoaded } from '../../lib/calls.ts'
import { ask } from '../../lib/client.ts'
import { createStore, type Store, useShared, useStore } from '../../lib/store.ts'
import { connection } from '../../shell/connection.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { createTask, type TaskDraft, type TaskFile, type TaskKind } from './draft.ts'

/** The tasks of the panel and their actions. */
export interface TasksControl extends Pick<Job, 'failure' | 'status' | 'stop'> {
  /** Newest first. */
  readonly entries: readonly TaskEntry[]
  readonly stateOf: (id: string) => TaskState
  readonly arrivalOf: (id: string) => WebhookArrival | undefined
  /** Whether the service can call the playground. `undefined` until known. */
  readonly webhooks: boolean | undefined
  readonly creating: boolean
  readonly create: (draft: TaskDraft, file: TaskFile | undefined, voices: readonly Voice[]) => void
  readonly cancel: (id: string) => void
  /** Removes a task from the list. It stays in the service. */
  readonly remove: (id: string) => void
  /** Adds a task that another program or another visit created. */
  readonly add: (id: string) => void
}

const NO_TASKS: readonly TaskEntry[] = []

/** Controls the tasks. @param onCreated Called with the id of a new task. */
export function useTasks(onCreated: (id: string) => void): TasksControl {
  const { client } = usePanel()
  const { epoch } = useStore(connection)
  const [entries, setEntries] = useShared<readonly TaskEntry[]>('tasks', NO_TASKS)
  const [watcher] = useState(() => new TaskWatcher(client))
  const states = useStore(watcher.states)
  const { busy: creating, status, failure, stop, say, fail, clear, run } = useJob()

  // A service that came back is asked again.
  useEffect(() => {
    for (const { id } of entries) watcher.watch(id)
  }, [entries, watcher, epoch])
  useEffect(() => () => watcher.close(), [watcher])
  useDurations(entries, setEntries, states)

  const onArrival = useCallback(({ task_id }: WebhookArrival) => watcher.notify(task_id), [watcher])
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set())
  const expected = entries.some(({ id, webhook }) => webhook && !arrived.has(id) && phaseOf(watcher.of(id)) !== 'gone')
  const webhooks = useWebhooks(expected, onArrival)
  useEffect(() => setArrived(new Set(webhooks.arrivals.keys())), [webhooks.arrivals])

  /** One at a time: until the service has accepted it. */
  const create: TasksControl['create'] = (draft, file, voices) => {
    const { kind, webhook } = draft
    const createdAt = Date.now()
    run(
      async (signal) => {
        const webhook_url = webhook ? await createWebhookAddress(signal) : undefined
        const { id, title } = await createTask({ client, draft, file, voices, webhook_url, signal })
        setEntries((before) => addEntry(before, { id, kind, title, createdAt, webhook }))
        onCreated(id)
        return `Created the task ${id}.`
      },
      kind === 'transcription' ? file?.name : undefined,
    )
  }
  const cancel = async (id: string): Promise<void> => {
    clear()
    await watcher.cancel(id).then(() => say('Cancelled.'), fail)
  }
  return {
    creating,
    create,
    stop,
    entries,
    stateOf: (id) => states.get(id) ?? {},
    arrivalOf: (id) => webhooks.arrivals.get(id),
    webhooks: webhooks.available,
    cancel: (id) => void cancel(id),
    remove: (id) => setEntries((before) => before.filter((entry) => entry.id !== id)),
    add: useCallback(
      (id: string) =>
        setEntries((before) =>
          before.some((entry) => entry.id === id)
            ? before
            : addEntry(before, { id, title: id, createdAt: Date.now(), webhook: false }),
        ),
      [setEntries],
    ),
    status,
    failure,
  }
}

/** Notes how long a task took that ended before the eyes of this page. */
function useDurations(
  entries: readonly TaskEntry[],
  setEntries: (change: (before: readonly TaskEntry[]) => readonly TaskEntry[]) => void,
  states: ReadonlyMap<string, TaskState>,
): void {
  const open = useRef(new Set<string>())
  useEffect(() => {
    for (const [id, state] of states) if (state.task !== undefined && !isEnded(phaseOf(state))) open.current.add(id)
    const ended = entries.filter(({ id }) => isEnded(phaseOf(states.get(id) ?? {})))
    const seen = ended.map(({ id }) => id).filter((id) => open.current.delete(id))
    if (seen.length === 0) return
    const now = Date.now()
    setEntries((before) =>
      before.map((entry) => (seen.includes(entry.id) ? { ...entry, tookMs: now - entry.createdAt } : entry)),
    )
  }, [states, entries, setEntries])
}

const PATH = '/api/webhooks'

/**
 * Follows the callbacks while one is expected.
 * @param expected Whether a task's callback has yet to arrive.
 * @param onArrival Called for each callback, for earlier ones too.
 */
function useWebhooks(expected: boolean, onArrival: (arrival: WebhookArrival) => void) {
  const [arrivals, setArrivals] = useState<ReadonlyMap<string, WebhookArrival>>(new Map())
  const { data } = useLoaded(loadWebhooks)
  const available = data?.available
  useEffect(() => {
    for (const arrival of data?.arrivals ?? []) setArrivals((before) => new Map(before).set(arrival.task_id, arrival))
  }, [data])
  useEffect(() => {
    if (!expected || available !== true) return undefined
    const events = new EventSource('/api/webhooks/events')
    events.addEventListener('message', ({ data: text }: MessageEvent<string>) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- page and server are one build
      const arrival = JSON.parse(text) as WebhookArrival
      setArrivals((before) => new Map(before).set(arrival.task_id, arrival))
      onArrival(arrival)
    })
    return () => events.close()
  }, [expected, available, onArrival])
  return { available, arrivals }
}

/** Makes the address of one task's callback. @throws ConnectionError when the playground's server does not answer */
async function createWebhookAddress(signal: AbortSignal): Promise<string> {
  return (await ask<WebhookAddress>(fetch, PATH, { method: 'POST', signal })).url
}

function loadWebhooks(signal: AbortSignal): Promise<WebhooksResponse> {
  return ask<WebhooksResponse>(fetch, PATH, { signal })
}

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
