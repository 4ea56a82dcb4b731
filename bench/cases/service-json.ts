import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from 'undici'
import { atLeast } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
import { ANSWERS_FILE } from '../self-hosted/answers-file.ts'
import { connections, read, readMany } from '../self-hosted/small-requests.ts'
import { makeTask } from '../self-hosted/make-task.ts'
import { Server } from '../self-hosted/server.ts'

/** Requests before the clock starts: until then code is compiled and connections are made. */
const WARM_UP = 5000
/** Requests in a row. Short rows, many times in turn: what else the machine does hits both alike. */
const ROW = 500
/** Rows of each server. */
const ROWS = 20

/** Small JSON answers of the self-hosted service. */
export const benchCase: BenchCase = {
  name: 'service-json',
  description: 'small JSON answers of the self-hosted service and of bare Fastify: CPU of the server a request',
  async run(context) {
    const folder = join(context.folder, 'service-json')
    await mkdir(folder)
    const agent = connections()
    const ours = await Server.service(context, folder)
    try {
      const taskId = await makeTask(agent, ours)
      const paths = ['/v1/models', '/v1/audio/voices', '/v1/files', `/v1/audio/tasks/${taskId}`]
      const answers = await Promise.all(paths.map(async (path) => [path, JSON.parse(await read(agent, ours, path))]))
      await writeFile(join(folder, ANSWERS_FILE), JSON.stringify(Object.fromEntries(answers)))
      const limit = await Server.fastify(context, folder)
      try {
        const rows: BenchRow[] = []
        for (const path of paths) rows.push(await compare(context, agent, { ours, limit }, path))
        return rows
      } finally {
        limit.stop()
      }
    } finally {
      ours.stop()
      await agent.close()
    }
  },
}

type Servers = Readonly<Record<'ours' | 'limit', Server>>

async function compare(context: BenchContext, agent: Agent, servers: Servers, path: string): Promise<BenchRow> {
  const name = `service GET ${path.replace(/task_.*/, '{task_id}')}`
  context.progress(name)
  await readMany(agent, servers.ours, path, WARM_UP)
  await readMany(agent, servers.limit, path, WARM_UP)
  const quiet: BenchContext = { ...context, progress: () => {} }
  const runs = await rounds(quiet, ['ours', 'limit'], ROWS, (who) => readMany(agent, servers[who], path, ROW))
  const { ours, limit } = medians(runs, (microseconds) => microseconds)
  // As many requests a second as the CPU allows, beside Fastify's.
  const ratio = limit / ours
  return { name, unit: 'µs CPU', ours, limit, peers: {}, ratio, ...atLeast('limit/ours', ratio, 0.8) }
}
