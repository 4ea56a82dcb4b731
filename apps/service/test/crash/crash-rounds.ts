import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyWebhook } from '@svc-audio/core/webhooks'
import { openDatabase } from '../../src/drivers/sqlite/database.ts'
import { createWebhookSecrets } from '../../src/drivers/sqlite/webhook-secrets.ts'
import { look, checkResult, loadUntilGone, type Request, type SeenTask, send } from './load.ts'
import { type Program, startProgram } from './program.ts'
import { headersOf, type Receiver, startReceiver } from '../support/receiver.ts'

/** What rounds of crashes came to. */
export interface CrashReport {
  readonly rounds: number
  /** Tasks whose request was answered, and those whose answer the crash has cut off. */
  readonly acknowledged: number
  readonly unanswered: number
  /** Tasks by state, or by code where they failed. */
  readonly ends: Readonly<Record<string, number>>
  /** Webhooks that came, repeats included. */
  readonly calls: number
  /** Files that nothing needs, after the last stop. */
  readonly leftovers: readonly string[]
}

/** Clients that send at the same time, and what each sends in a round. */
const CLIENTS = 4
const REQUESTS_EACH = 2
/** Longest time between the first answer of a round and its end, in milliseconds. */
const ROUND_MS = 500
/** Of how many calls one is refused, if its message has not come before. */
const EVERY_CALL = 7

/**
 * Kills a service in the midst of its work, again and again on one folder, then lets it come to an end.
 * @throws Error for an acknowledged task that is lost, does not end or has made half a file; for a key that gives two
 * tasks; for a webhook that never comes, or comes wrongly signed
 */
export async function runCrashRounds(
  rounds: number,
  {
    random = Math.random,
    log = () => undefined,
  }: { readonly random?: () => number; readonly log?: (line: string) => void },
): Promise<CrashReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-crash-'))
  // Some calls are refused at first, so that retries are cut off by crashes too.
  const receiver = await startReceiver(({ headers }, before) => {
    const isNew = before.every((call) => call.headers['webhook-id'] !== headers['webhook-id'])
    return isNew && before.length % EVERY_CALL === 0 ? 503 : 204
  })
  const requests: Request[] = []
  try {
    for (let round = 0; round < rounds; round += 1) {
      const own = makeRequests(round, receiver.url)
      requests.push(...own)
      await crash(await startProgram(dataDir), own, random() * ROUND_MS)
      log(
        `round ${round + 1}: ${own.filter(({ taskId }) => taskId !== undefined).length} of ${own.length} acknowledged`,
      )
    }
    const acknowledged = requests.filter(({ taskId }) => taskId !== undefined).length
    const ends = await finish(dataDir, requests, receiver)
    const unanswered = requests.length - acknowledged
    return { rounds, acknowledged, unanswered, ends, calls: receiver.calls.length, leftovers: await leftovers(dataDir) }
  } finally {
    receiver.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function makeRequests(round: number, webhookUrl: string): Request[] {
  return Array.from({ length: CLIENTS * REQUESTS_EACH }, (_, index) => ({
    key: `round-${round}-request-${index}`,
    tenant: index % 2 === 0 ? 'first' : 'second',
    kind: index === 7 ? 'transcription' : 'speech',
    webhookUrl,
    taskId: undefined,
  }))
}

async function crash(program: Program, requests: readonly Request[], milliseconds: number): Promise<void> {
  const gone = new AbortController()
  const clients = Array.from({ length: CLIENTS }, (_, client) => requests.filter((_one, at) => at % CLIENTS === client))
  const answered = Promise.withResolvers<undefined>()
  const surroundings = { gone: gone.signal, onAnswer: () => answered.resolve(undefined) }
  const load = Promise.all(clients.map((own) => loadUntilGone(program.url, own, surroundings)))
  await Promise.race([answered.promise.then(() => sleep(milliseconds)), load])
  gone.abort()
  await program.kill()
  await load
}

/** Starts once more, waits for every end and compares it with what was acknowledged. */
async function finish(
  dataDir: string,
  requests: readonly Request[],
  receiver: Receiver,
): Promise<Record<string, number>> {
  const program = await startProgram(dataDir)
  const ends: Record<string, number> = {}
  for (const request of requests) {
    // Whatever the first answer was, the same key gives that task, and only one.
    const taskId = await send(program.url, request)
    if (request.taskId !== undefined && request.taskId !== taskId) throw new Error(`${request.key} has two tasks`)
    request.taskId = taskId
  }
  for (const request of requests) {
    const task = await untilEnded(program.url, request)
    await checkResult(task)
    const end = task.error?.code ?? task.status
    ends[end] = (ends[end] ?? 0) + 1
  }
  await program.stop()
  await checkCalls(dataDir, requests, receiver)
  return ends
}

/** Waits until a task and its webhook have come to an end. The test's own limit is the only one. */
async function untilEnded(url: string, request: Request): Promise<SeenTask> {
  for (;;) {
    const task = await look(url, request)
    if (task.webhook?.status === 'delivered') return task
    if (task.webhook?.status === 'failed') throw new Error(`The webhook of ${request.taskId} was given up`)
    await sleep(20)
  }
}

/** Each task was reported, as it ended, under one message id, signed by its tenant's secret. */
async function checkCalls(dataDir: string, requests: readonly Request[], { calls }: Receiver): Promise<void> {
  const database = openDatabase(join(dataDir, 'service.sqlite'))
  const secrets = createWebhookSecrets(database)
  const ids = new Map<string, string>()
  const tenants = new Map(requests.map(({ taskId, tenant }) => [taskId, tenant]))
  for (const call of calls) {
    const { headers, body } = call
    const { id, status } = JSON.parse(body) as { id: string; status: string }
    const tenant = tenants.get(id)
    const message = String(headers['webhook-id'])
    if (tenant === undefined || !['SUCCESS', 'FAILED'].includes(status)) throw new Error(`An odd call: ${body}`)
    if ((ids.get(id) ?? message) !== message) throw new Error(`${id} was reported under two ids`)
    ids.set(id, message)
    const secret = await secrets.secretOf(tenant)
    const signed = { headers: headersOf(call), body, secret, now: Number(headers['webhook-timestamp']) }
    if (!(await verifyWebhook(signed))) throw new Error(`The call for ${id} is wrongly signed`)
  }
  await database.destroy()
  for (const { taskId, key } of requests) if (!ids.has(taskId ?? '')) throw new Error(`${key} was never reported`)
}

/** Uploads, inputs and halves of results that nothing needs any more. */
async function leftovers(dataDir: string): Promise<string[]> {
  const names = async (folder: string): Promise<string[]> => readdir(join(dataDir, folder))
  const halves = (await names('results')).filter((name) => name.endsWith('.part'))
  return [...(await names('uploads')), ...(await names('inputs')), ...halves]
}
