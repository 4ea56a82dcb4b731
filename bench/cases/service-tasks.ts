import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from 'undici'
import {
  atLeast,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  medians,
  percentile,
  repeat,
  reported,
  rounds,
} from '../harness/bench-case.ts'
import { acceptTask, connections, makeTask, readTask } from '../self-hosted/requests.ts'
import { Server } from '../self-hosted/server.ts'

/** Requests in flight at the same time. */
const IN_FLIGHT = 16
/** Tasks in a row. */
const ROW = 200
/** Rows of each server. */
const ROWS = 9
/**
 * Least rate, next to bare Fastify's. The target is 1. The bar leaves a fifth, because other processes
 * slow the several threads of the service more than the one thread of bare Fastify.
 */
const LEAST_RATIO = 0.8
/** Tasks with a timed start. */
const PICK_UPS = 40

/** Acceptance and start of tasks. */
export const benchCase: BenchCase = {
  name: 'service-tasks',
  description: 'tasks of the self-hosted service: tasks accepted a second, time until one starts',
  async run(context) {
    const agent = connections()
    const folder = join(context.folder, 'service-tasks')
    await mkdir(folder)
    const ours = await Server.service(context, folder)
    const limit = await Server.bare(context, 'accept', folder)
    try {
      await makeTask(agent, ours)
      const pickUp = await pickUps(context, agent, ours)
      return [...(await accepted(context, agent, { ours, limit })), ...pickUp]
    } finally {
      ours.stop()
      limit.stop()
      await agent.close()
    }
  },
}

async function accepted(
  context: BenchContext,
  agent: Agent,
  servers: Readonly<Record<'ours' | 'limit', Server>>,
): Promise<BenchRow[]> {
  const runs = await rounds(context, ['ours', 'limit'], ROWS, async (who) => {
    const rate = await acceptMany(agent, servers[who])
    // The accepted tasks must end before the next measurement.
    if (who === 'ours') await makeTask(agent, servers.ours)
    return rate
  })
  const { ours, limit } = medians(runs, (rate) => rate)
  const ratio = ours / limit
  const row = { name: 'service tasks accepted while workers run them', unit: 'a second', ours, limit, peers: {}, ratio }
  return [{ ...row, ...atLeast('ours/limit', ratio, LEAST_RATIO) }]
}

/** @returns tasks accepted a second */
async function acceptMany(agent: Agent, server: Server): Promise<number> {
  const start = performance.now()
  await repeat(ROW, IN_FLIGHT, () => acceptTask(agent, server))
  return (ROW / (performance.now() - start)) * 1000
}

/** Time from the accepting response to the first poll that shows the task started. */
async function pickUps(context: BenchContext, agent: Agent, server: Server): Promise<BenchRow[]> {
  context.progress('picking up')
  const times: number[] = []
  for (let task = 0; task < PICK_UPS; task += 1) {
    context.signal.throwIfAborted()
    const id = await acceptTask(agent, server)
    const start = performance.now()
    while ((await readTask(agent, server, id)).status === 'PENDING') await sleep(0)
    times.push(performance.now() - start)
    while ((await readTask(agent, server, id)).status === 'PROCESSING') await sleep(2)
  }
  const row = { name: 'service task seen started after', unit: 'ms', limit: null, peers: {}, ratio: null }
  return [
    { ...row, ours: percentile(times, 0.5), ...reported('p50') },
    { ...row, ours: percentile(times, 0.95), ...reported('p95') },
  ]
}
