import { setTimeout as delay } from 'node:timers/promises'
import { ensure } from '../outcomes.ts'
import type { Fields } from '../http/response.ts'
import { accept, type RequestName } from './requests.ts'
import { shared } from './shared.ts'
import type { Subject } from './subject.ts'

/** The history of a task. */
export interface TaskRun {
  /** The creation result. */
  readonly creation: Fields
  /** Every poll of the task. The last one shows its end. */
  readonly looks: readonly Fields[]
  readonly last: Fields
}

/** Requests with an asynchronous form. */
export type TaskName = Exclude<RequestName, 'stream'>

const STATES = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED']
const ENDS = new Set(['SUCCESS', 'FAILED'])
/** Longest pause between two polls, in seconds. Caps `retry_after`. */
const LONGEST_PAUSE = 5

/** Whether a task has ended (interface: Task states). */
export function hasEnded(task: Fields): boolean {
  return ENDS.has(String(task['status']))
}

/** Creates a task and polls it until it ends. */
export async function runTask(subject: Subject, name: TaskName, changes: Fields = {}): Promise<TaskRun> {
  const { fields: creation } = await accept(subject, name, { ...changes, async: true })
  return follow(subject, creation)
}

const plainTask = shared((subject, name: TaskName) => runTask(subject, name))

/** The shared task of the unchanged request. @throws Violation unless the task succeeds */
export async function finishedTask(subject: Subject, name: TaskName): Promise<TaskRun> {
  const run = await plainTask(subject, name)
  const { last } = run
  ensure(last['status'] === 'SUCCESS', `the task ended without success: ${JSON.stringify(last).slice(0, 200)}`)
  return run
}

/** Polls a task. */
export function lookAt(subject: Subject, taskId: unknown): Promise<Fields> {
  return subject.api.read(`/v1/audio/tasks/${encodeURIComponent(String(taskId))}`)
}

async function follow(subject: Subject, creation: Fields): Promise<TaskRun> {
  const looks: Fields[] = []
  const deadline = Date.now() + subject.timeout
  for (;;) {
    const last = await lookAt(subject, creation['task_id'] ?? creation['id'])
    looks.push(last)
    if (hasEnded(last)) return { creation, looks, last }
    const status = String(last['status'])
    ensure(STATES.includes(status), `the task has the status ${status}, not one of ${STATES.join(', ')}`)
    ensure(Date.now() < deadline, `the task did not end within ${subject.timeout / 1000} s: ${JSON.stringify(last)}`)
    const proposed = Number(last['retry_after'])
    await delay(1000 * Math.min(LONGEST_PAUSE, proposed > 0 ? proposed : 1))
  }
}
