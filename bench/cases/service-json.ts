import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from 'undici'
import { atLeast, type BenchCase, type BenchContext, type BenchRow, medians, rounds } from '../harness/bench-case.ts'
import { connections, makeTask, read, readMany } from '../self-hosted/requests.ts'
import { type BareResponse, Server } from '../self-hosted/server.ts'

/** Requests before the clock starts: code compiles in several tiers, and connections open. */
const WARM_UP = 150_000
/** Requests in a row. Many alternating rows: other load of the machine affects both alike. */
const ROW = 2000
/** Rows of each server. */
const ROWS = 20
/**
 * Least speed of a response, next to bare Fastify's. The target is 0.8, and only the models reach it: 0.6 to 0.74 for lists
 * and 0.41 to 0.65 for a task, more on a busy machine. The bars are below that, because CPU ratios vary by a fifth beside
 * other work. What remains: operations.md, "Performance".
 */
const LEAST_RATIOS = { models: 0.65, voices: 0.5, files: 0.5, task: 0.35 } as const

/** Small JSON responses of the self-hosted service. */
export const benchCase: BenchCase = {
  name: 'service-json',
  description: 'small JSON responses of the self-hosted service and of bare Fastify: CPU of the server a request',
  async run(context) {
    const folder = join(context.folder, 'service-json')
    await mkdir(folder)
    const agent = connections()
    const ours = await Server.service(context, folder)
    try {
      const queries = queriesOf(await makeTask(agent, ours))
      const responses = join(folder, 'responses.json')
      await writeFile(responses, JSON.stringify(await responsesOf(agent, ours, queries)))
      const limit = await Server.bare(context, 'responses', folder, responses)
      try {
        const rows: BenchRow[] = []
        for (const path of Object.keys(queries)) rows.push(await compare(context, agent, { ours, limit }, path))
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

/** The queries behind each response, by hand. */
function queriesOf(taskId: string): Record<string, string[]> {
  const tenant = "tenant = 'bench'"
  return {
    '/v1/models': [],
    '/v1/audio/voices': [`SELECT * FROM voices WHERE ${tenant} ORDER BY sequence LIMIT 17`],
    '/v1/files': [`SELECT * FROM files WHERE ${tenant} ORDER BY sequence DESC LIMIT 100`],
    [`/v1/audio/tasks/${taskId}`]: [`SELECT * FROM tasks WHERE id = '${taskId}' AND ${tenant}`],
  }
}

/** The service's responses, for bare Fastify to return. */
async function responsesOf(
  agent: Agent,
  ours: Server,
  queries: Readonly<Record<string, readonly string[]>>,
): Promise<Record<string, BareResponse>> {
  const responses: Record<string, BareResponse> = {}
  for (const [path, needed] of Object.entries(queries)) {
    const text = await read(agent, ours, path)
    const signs = text.includes('signature=')
    responses[path] = { answer: JSON.parse(text) as object, queries: needed, signs }
  }
  return responses
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
  // Requests a second at full CPU, next to Fastify's.
  const ratio = limit / ours
  const row = { name, unit: 'µs CPU', ours, limit, peers: {}, ratio }
  return { ...row, ...atLeast('limit/ours', ratio, leastRatioOf(path)) }
}

function leastRatioOf(path: string): number {
  if (path === '/v1/models') return LEAST_RATIOS.models
  if (path === '/v1/audio/voices') return LEAST_RATIOS.voices
  return path === '/v1/files' ? LEAST_RATIOS.files : LEAST_RATIOS.task
}
