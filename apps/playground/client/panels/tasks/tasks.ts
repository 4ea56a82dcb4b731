import type { Voice } from '@svc-audio/core/pure'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { WebhookAddress, WebhookArrival, WebhooksResponse } from '../../../shared/api.ts'
import { useShared, useStore } from '../../lib/store.ts'
import { type Job, useJob, useLoaded } from '../../lib/calls.ts'
import { connection } from '../../shell/connection.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { createTask, type TaskDraft, type TaskFile } from './draft.ts'
import { addEntry, isEnded, phaseOf, type TaskEntry, type TaskState, TaskWatcher } from './task-entry.ts'
import { ask } from '../../lib/client.ts'

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
