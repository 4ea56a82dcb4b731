import { setTimeout as delay } from 'node:timers/promises'
import { Random, SEED } from '@svc-audio/kit/engine-fixtures/random.ts'
import type { IConnections, INode } from 'n8n-workflow'
import { type LocalServer, startLocalServer } from './local-server.ts'
import { byId, chain, node, SVC_AUDIO, webhook } from './nodes.ts'
import { callWebhook, type N8nRest } from './rest.ts'
import type { N8nServer } from './server.ts'

const random = new Random(SEED)

const TASKS = 100
const CALLBACKS = 5

/** Time over which the tasks end, in milliseconds. */
const SPREAD = 60_000

/** Time over which the callbacks of one task come, in milliseconds: each of these for a third of the tasks. */
const TASK_SPREADS = [0, 1000, SPREAD] as const

/** Most callbacks that a service waits for at the same time. */
const AT_ONCE = 10

/** Pauses before a refused callback is repeated, in milliseconds: the first, which doubles each time, and the longest. */
const PAUSES = { first: 1000, longest: 15_000 }

/** How long the runs may take on a busy machine, in milliseconds. */
const TIMEOUT = 900_000

/** No more runs come when none has come for this long, in milliseconds. */
const QUIET = 10_000

/** A service whose tasks have all ended. It counts what the workflows report. */
export interface FinishedTasks extends LocalServer {
  /** Number of runs by task. */
  readonly runs: ReadonlyMap<string, number>
}

/** Starts it. */
export async function startFinishedTasks(): Promise<FinishedTasks> {
  const runs = new Map<string, number>()
  const server = await startLocalServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://service.test')
    const id = pathname.split('/').at(-1) ?? ''
    if (pathname.startsWith('/ran/')) runs.set(id, (runs.get(id) ?? 0) + 1)
    const task = { id, object: 'audio.speech', status: 'SUCCESS', created_at: 0, updated_at: 0 }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(task))
  })
  return { ...server, runs }
}

/** The trigger, and nodes between it and the report of each run. */
export function triggerWorkflow(
  service: FinishedTasks,
  credential: string,
  between: readonly INode[] = [],
): { readonly start: INode; readonly nodes: INode[]; readonly connections: IConnections } {
  const credentials = { svcAudioApi: { id: credential, name: 'Tasks' } }
  const start = node('Svc Audio Trigger', `${SVC_AUDIO}Trigger`, {}, { credentials, webhookId: crypto.randomUUID() })
  const url = `={{ "${service.url}/ran/" + $('Svc Audio Trigger').first().json.id }}`
  const report = node('Report', 'httpRequest', { url, options: {} }, { typeVersion: 4.2 })
  const nodes = [start, ...between, report]
  return { start, nodes, connections: chain(...nodes.map(({ name }) => name)) }
}

/**
 * Calls a trigger for 100 tasks, 5 times each at random moments: at once, soon after each other, or long after. A callback
 * that is refused is repeated, as a service does.
 * @param urls Addresses of the trigger, one for each process that serves webhooks.
 * @returns How many were refused
 */
export async function callBack(urls: readonly string[]): Promise<number> {
  const calls = Array.from({ length: TASKS }, (_, index) => {
    const end = random.between(0, SPREAD)
    const spread = TASK_SPREADS[index % TASK_SPREADS.length] ?? 0
    return Array.from({ length: CALLBACKS }, () => ({ id: `task-${index}`, at: end + random.between(0, spread) }))
  })
  const waiting = calls
    .flat()
    .toSorted((one, other) => one.at - other.at)
    .values()
  const start = Date.now()
  let refused = 0
  const call = async (): Promise<void> => {
    for (const { id, at } of waiting) {
      await delay(Math.max(0, start + at - Date.now()))
      const own = await callOnce(random.pick(urls), id)
      refused += own
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, call))
  return refused
}

/** @returns How often the callback was refused before it was accepted */
async function callOnce(url: string, id: string): Promise<number> {
  const end = Date.now() + TIMEOUT
  let answer = 'no answer'
  let refused = 0
  for (let pause = PAUSES.first; Date.now() < end; pause = Math.min(pause * 2, PAUSES.longest)) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, status: 'SUCCESS' }),
    }).catch(() => undefined)
    const text = (await response?.text()) ?? ''
    if (response?.ok === true && !/task.*started the workflow/i.test(text))
      throw new Error(`The trigger answers a callback with ${text}`)
    if (response?.ok === true) return refused
    refused += 1
    answer = response === undefined ? answer : `${response.status} ${text}`
    await delay(pause * random.between(0.5, 1.5))
  }
  throw new Error(`The callback for ${id} is refused: ${answer}`)
}

/** The number of runs and of tasks that started one, once no more come. */
export async function settledRuns({ runs }: FinishedTasks): Promise<{ total: number; tasks: number }> {
  const total = (): number => [...runs.values()].reduce((sum, count) => sum + count, 0)
  let last = { total: total(), at: Date.now() }
  for (const end = Date.now() + TIMEOUT; Date.now() < end; await delay(500)) {
    if (total() !== last.total) last = { total: total(), at: Date.now() }
    if (runs.size >= TASKS && Date.now() - last.at > QUIET) break
  }
  return { total: total(), tasks: runs.size }
}

/** One process: 100 tasks with 5 callbacks each start 100 runs. */
export async function checkTrigger(rest: N8nRest): Promise<string[]> {
  const service = await startFinishedTasks()
  try {
    const id = await rest.addCredential('Tasks', 'svcAudioApi', { apiKey: 'any-key', baseUrl: service.url })
    const { start, nodes, connections } = triggerWorkflow(service, id)
    await rest.addWorkflow({ name: 'Trigger once', nodes, connections }, { publish: true })
    const refused = await callBack([`${rest.url}/webhook/${start.webhookId}/webhook`])
    const { total, tasks } = await settledRuns(service)
    if (total !== TASKS || tasks !== TASKS) throw new Error(`${total} runs of ${tasks} tasks, expected ${TASKS}`)
    return [
      `trigger: ${TASKS} tasks with ${CALLBACKS} callbacks each started ${total} runs; ${refused} were refused, and repeated`,
    ]
  } finally {
    await service.close()
  }
}

/** How long a poll may take on a busy machine, in milliseconds. n8n polls once per minute. */
const POLL_TIMEOUT = 300_000

/** Time in which n8n polls once more, in milliseconds. */
const ONE_MORE_POLL = 75_000

/** How long n8n may take to store a run, in milliseconds. */
const STORE_TIMEOUT = 60_000

/**
 * Start Task registers a task, n8n is killed and started again, and the polling trigger of the same workflow starts a run
 * for the task: one, however often it polls.
 */
export async function checkPolling(server: N8nServer, rest: N8nRest): Promise<string[]> {
  const service = await startFinishedTasks()
  try {
    const id = await rest.addCredential('Polled', 'svcAudioApi', { apiKey: 'any-key', baseUrl: service.url })
    const credentials = { svcAudioApi: { id, name: 'Polled' } }
    const begin = webhook('Begin')
    const task = { operation: 'startTask', text: 'Hello.', voice: byId('v'), options: { registerForPolling: true } }
    const url = `={{ "${service.url}/ran/" + $json.id }}`
    const nodes = [
      begin,
      node('Start Task', SVC_AUDIO, { resource: 'speech', ...task }, { credentials }),
      node('Ended', `${SVC_AUDIO}Trigger`, { source: 'polling' }, { credentials, position: [0, 300] }),
      node('Report', 'httpRequest', { url, options: {} }, { typeVersion: 4.2, position: [300, 300] }),
    ]
    const connections = { ...chain('Begin', 'Start Task'), ...chain('Ended', 'Report') }
    const workflow = await rest.addWorkflow({ name: 'Polling', nodes, connections }, { publish: true })
    const { taskId } = (await callWebhook(rest, begin, '').then((response) => response.json())) as { taskId?: string }
    if (taskId === undefined) throw new Error('Start Task outputs no taskId')
    await rest.finished(workflow, STORE_TIMEOUT)
    await server.restart('SIGKILL')
    for (const end = Date.now() + POLL_TIMEOUT; !service.runs.has(taskId); await delay(500))
      if (Date.now() > end) throw new Error('The polling trigger does not start the workflow')
    await delay(ONE_MORE_POLL)
    const runs = service.runs.get(taskId)
    if (runs !== 1) throw new Error(`The polling trigger started ${runs} runs for one task`)
    return ['polling: a registered task started one run, after n8n was killed and started again']
  } finally {
    await service.close()
  }
}
