import { ApiError, type PureAudioClient, type Task } from '@svc-audio/core/pure'
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow'
import { createAudioClient } from '../SvcAudio/client/audio-client.ts'
import { toNodeError } from '../SvcAudio/errors/index.ts'
import { toList } from '../SvcAudio/form.ts'
import { outputJson } from '../SvcAudio/operations/item-files.ts'
import { RegisteredTasks } from '../SvcAudio/operations/start-task.ts'
import { runItems } from '../SvcAudio/run-items.ts'
import { GONE, goneTask, isFinished, StartedTasks } from './tasks.ts'

/** Deadline for reading one task, retries included, in milliseconds. */
const READ_TIMEOUT = 60_000

/** How many tasks are read at the same time. */
const READS_AT_ONCE = 8

/** What a poll found of a task. */
interface Found {
  readonly id: string
  /** Absent if the service has no such task, or if the task could not be read. */
  readonly task?: Task
  readonly error?: unknown
}

/**
 * Reads the registered tasks and those of the form. Each starts the workflow once, when it has ended.
 * @returns `null` when none has
 */
export async function pollTasks(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  if (context.getNodeParameter('source') !== 'polling') return null
  // A test in the editor may be repeated with the same tasks.
  const isTest = context.getMode() === 'manual'
  const started = new StartedTasks(context)
  if (isTest) return poll(context, started, isTest)
  return (await started.alone(() => poll(context, started, isTest))) ?? null
}

async function poll(
  context: IPollFunctions,
  started: StartedTasks,
  isTest: boolean,
): Promise<INodeExecutionData[][] | null> {
  const registered = new RegisteredTasks(context)
  const statuses = toList(context.getNodeParameter('statuses')) ?? []
  const all = new Set([...registered.ids, ...(toList(context.getNodeParameter('taskIds', [])) ?? [])])
  const ids = [...all].filter((id) => isTest || !started.has(id))
  const items: INodeExecutionData[] = []
  let failure: unknown
  try {
    for (const { id, task, error } of await readAll(context, ids)) {
      failure ??= error
      if (error !== undefined || (task !== undefined && !isFinished(task))) continue
      if (statuses.includes(task?.status ?? GONE))
        items.push({ json: task === undefined ? goneTask(id) : outputJson(task) })
      if (isTest) continue
      started.add(id)
      registered.remove(id)
    }
  } catch (error) {
    failure = error
  }
  if (failure !== undefined) {
    const error = toNodeError(context.getNode(), failure, 0)
    // Tasks that have ended are not lost to one that cannot be read: that one is read again at the next poll.
    if (items.length === 0) throw error
    context.logger.warn(`Svc Audio Trigger: a task could not be read: ${error.message}`)
  }
  return items.length === 0 ? null : [items]
}

async function readAll(context: IPollFunctions, ids: readonly string[]): Promise<Found[]> {
  if (ids.length === 0) return []
  const { audio } = await createAudioClient(context, { timeout: READ_TIMEOUT })
  const found = await runItems({
    count: ids.length,
    atOnce: READS_AT_ONCE,
    run: (index) => read(audio, ids[index] ?? ''),
  })
  // A wrong Base URL answers 404 too: only a service that can be used says that a task is gone.
  if (found.some(isGone)) await audio.models.list()
  return found
}

async function read(audio: PureAudioClient, id: string): Promise<Found> {
  try {
    return { id, task: await audio.tasks.retrieve(id) }
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? { id } : { id, error }
  }
}

function isGone({ task, error }: Found): boolean {
  return task === undefined && error === undefined
}
