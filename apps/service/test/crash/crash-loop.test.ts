import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SUSPECT_CRASHES } from '../../src/ports/task-store.ts'
import { MAX_INTERRUPTIONS } from '../../src/workers/run-task.ts'

const PROGRAM = fileURLToPath(new URL('./fragile-service.ts', import.meta.url))
const TASKS = 24

/** A running service, and its end. */
interface Running {
  readonly url: string
  readonly ended: Promise<unknown>
  kill(): Promise<unknown>
}

let folder: string
let children: ChildProcess[]
beforeEach(async () => {
  children = []
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-loop-'))
})
afterEach(async () => {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** Starts the service. @returns `undefined` when it ended before it was ready */
async function start(): Promise<Running | undefined> {
  const child = fork(PROGRAM, [folder], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: ['--no-warnings'] })
  children.push(child)
  const ended = once(child, 'exit')
  const first = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
  if (first === undefined) return undefined
  return {
    url: String(first[0]),
    ended,
    kill() {
      child.kill('SIGKILL')
      return ended
    },
  }
}

async function started(): Promise<Running> {
  const running = await start()
  if (running === undefined) throw new Error('The service did not start')
  return running
}

const headers = { authorization: 'Bearer fragile-key', 'content-type': 'application/json' }

/** Orders speech. A repeated order is the same task. */
async function order({ url }: Running, input: string): Promise<string> {
  const body = { model: 'svc-tts-1.0-pro', input, voice_id: 'one', response_format: 'wav', async: true }
  const init = {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': input.replaceAll(' ', '-') },
    body: JSON.stringify(body),
  }
  const { id } = (await (await fetch(`${url}/v1/audio/speech`, init)).json()) as { readonly id: string }
  return id
}

interface Task {
  readonly id: string
  readonly status: string
  readonly error?: { readonly code: string; readonly message: string }
}

async function read({ url }: Running, ids: readonly string[]): Promise<Task[]> {
  return Promise.all(
    ids.map(async (id) => (await (await fetch(`${url}/v1/audio/tasks/${id}`, { headers })).json()) as Task),
  )
}

const open = (tasks: readonly Task[]): boolean =>
  tasks.some(({ status }) => status !== 'SUCCESS' && status !== 'FAILED')

/** Tasks that a worker holds. */
function atWork(): number {
  const database = new DatabaseSync(join(folder, 'service.sqlite'), { readOnly: true })
  try {
    return Number(database.prepare('SELECT count(*) AS held FROM jobs WHERE lease_ms IS NOT NULL').get()?.['held'])
  } finally {
    database.close()
  }
}

const innocent = (number: number): string => `An innocent text with the number ${number}.`

test('eight quick kills of the service fail none of 24 tasks', async () => {
  let running = await started()
  const ids: string[] = []
  for (let number = 0; number < TASKS; number += 1) ids.push(await order(running, innocent(number)))
  let hits = 0
  for (let kill = 0; kill < 8; kill += 1) {
    if (kill > 0) running = await started()
    // All may be suspects by now, which start later.
    for (let looks = 0; looks < 20 && atWork() === 0; looks += 1) await sleep(20)
    hits += atWork() > 0 ? 1 : 0
    await running.kill()
  }
  expect(hits).toBeGreaterThan(0)
  running = await started()
  await expect.poll(async () => open(await read(running, ids)), { timeout: 100_000, interval: 200 }).toBe(false)
  const ends = (await read(running, ids)).map(({ status }) => status)
  expect(ends).toEqual(Array.from({ length: TASKS }, () => 'SUCCESS'))
})

/** Orders what has no task yet, and waits for all ends. @returns `false` when the service ended before */
async function finish(running: Running, tasks: Map<string, string>): Promise<boolean> {
  try {
    for (const [input, id] of tasks) if (id === '') tasks.set(input, await order(running, input))
    while (open(await read(running, [...tasks.values()]))) await sleep(100)
    return true
  } catch {
    await running.ended
    return false
  }
}

test('a task that kills the service each time fails alone and says so, and the 23 others succeed', async () => {
  const poison = 'This text is poison.'
  const inputs = Array.from({ length: TASKS }, (_, number) => (number === 7 ? poison : innocent(number)))
  const ids = new Map(inputs.map((input) => [input, '']))
  let starts = 1
  let running = await started()
  for (; !(await finish(running, ids)); starts += 1) running = await started()
  const tasks = await read(running, [...ids.values()])
  const message = `The service crashed ${MAX_INTERRUPTIONS} times while it ran this task alone`
  const failed = tasks.filter(({ status }) => status === 'FAILED')
  expect(failed).toMatchObject([{ id: ids.get(poison), error: { code: 'interrupted', message } }])
  expect(tasks.filter(({ status }) => status === 'SUCCESS')).toHaveLength(TASKS - 1)
  expect(starts).toBe(1 + SUSPECT_CRASHES + MAX_INTERRUPTIONS)
})
