import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from 'undici'
import { reported } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { rounds } from '../harness/rounds.ts'
import { median, medians } from '../harness/statistics.ts'
import { acceptTask, makeTask } from '../self-hosted/make-task.ts'
import { Server } from '../self-hosted/server.ts'
import { connections, read } from '../self-hosted/small-requests.ts'

/** Requests in flight at the same time. */
const IN_FLIGHT = 16
/** Tasks in a row. */
const ROW = 200
/** Rows of each server. */
const ROWS = 3
/** Tasks whose beginning is timed. */
const PICK_UPS = 40

/** Accepting tasks, and beginning them. */
export const benchCase: BenchCase = {
  name: 'service-tasks',
  description: 'tasks of the self-hosted service: how many are accepted a second, how soon one is begun',
  async run(context) {
    const agent = connections()
    const folder = join(context.folder, 'service-tasks')
    await mkdir(folder)
    const ours = await Server.service(context, folder)
    const limit = await Server.bareAccept(context, folder)
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
    // What was accepted is worked off before anybody else is measured.
    if (who === 'ours') await makeTask(agent, servers.ours)
    return rate
  })
  const { ours, limit } = medians(runs, (rate) => rate)
  const ratio = ours / limit
  const row = { name: 'service tasks accepted, worked on meanwhile', unit: 'a second', ours, limit, peers: {}, ratio }
  return [{ ...row, ...reported('ours/limit') }]
}

/** @returns tasks accepted a second */
async function acceptMany(agent: Agent, server: Server): Promise<number> {
  let left = ROW
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await acceptTask(agent, server)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: IN_FLIGHT }, client))
  return (ROW / (performance.now() - start)) * 1000
}

/** From the answer that accepts a task to the first look that shows it begun. */
async function pickUps(context: BenchContext, agent: Agent, server: Server): Promise<BenchRow[]> {
  context.progress('picking up')
  const times: number[] = []
  for (let task = 0; task < PICK_UPS; task += 1) {
    context.signal.throwIfAborted()
    const id = await acceptTask(agent, server)
    const start = performance.now()
    while ((await statusOf(agent, server, id)) === 'PENDING') await sleep(0)
    times.push(performance.now() - start)
    while ((await statusOf(agent, server, id)) === 'PROCESSING') await sleep(2)
  }
  const sorted = times.toSorted((one, other) => one - other)
  const row = { name: 'service task seen begun after', unit: 'ms', limit: null, peers: {}, ratio: null }
  const late = sorted[Math.ceil(PICK_UPS * 0.95) - 1] ?? Number.NaN
  return [
    { ...row, ours: median(times), ...reported('p50') },
    { ...row, ours: late, ...reported('p95') },
  ]
}

async function statusOf(agent: Agent, server: Server, id: string): Promise<string> {
  // Our own service answers with this field.
  return (JSON.parse(await read(agent, server, `/v1/audio/tasks/${id}`)) as { status: string }).status
}
