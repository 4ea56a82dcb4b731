import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@svc-audio/kit/hosts'
import { startPostgres } from '../../../apps/service/test/postgres/server.ts'
import { callBack, settledRuns, startFinishedTasks, triggerWorkflow } from './check-trigger.ts'
import { type InstalledN8n, settingsFor } from './n8n-home.ts'
import { packInto } from './pack.ts'
import { node } from './nodes.ts'
import { N8nRest } from './rest.ts'
import { startN8n } from './server.ts'

/** What the check needs. */
export interface QueueOptions {
  readonly installed: InstalledN8n
  /** Made for it. */
  readonly folder: string
  /** Closes what the check starts, if the check is ended. */
  readonly stack: AsyncDisposableStack
}

/**
 * Queue mode on PostgreSQL, with two processes that serve webhooks: the trigger starts a run for each task at least once, and exactly
 * once with the two nodes that the README names.
 */
export async function checkQueue({ installed, folder, stack: outer }: QueueOptions): Promise<string[]> {
  await using stack = outer.use(new AsyncDisposableStack())
  const redis = await startRedis(stack)
  const database = await startPostgres()
  stack.defer(() => database.stop())
  const home = join(folder, 'queue')
  await packInto(join(home, '.n8n/nodes/node_modules/n8n-nodes-svc-audio'))
  const [port, ...webhookPorts] = [await freePort(), await freePort(), await freePort()]
  const env = {
    ...settingsFor(installed, home),
    N8N_SECURE_COOKIE: 'false',
    EXECUTIONS_MODE: 'queue',
    // its default makes a virtual machine for each callback, which takes two cores minutes and is not what is tried here
    N8N_EXPRESSION_ENGINE: 'legacy',
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: '127.0.0.1',
    DB_POSTGRESDB_PORT: String(database.port),
    DB_POSTGRESDB_USER: 'test',
    DB_POSTGRESDB_DATABASE: 'postgres',
    QUEUE_BULL_REDIS_HOST: '127.0.0.1',
    QUEUE_BULL_REDIS_PORT: String(redis),
    QUEUE_HEALTH_CHECK_ACTIVE: 'true',
    QUEUE_HEALTH_CHECK_PORT: String(await freePort()),
    WEBHOOK_URL: `http://127.0.0.1:${port}/`,
  }
  const common = { installed, folder: home, env }
  const main = await startN8n({ ...common, port: port ?? 0 })
  stack.defer(() => main.close())
  const worker = Number(env.QUEUE_HEALTH_CHECK_PORT)
  const processes = [
    startN8n({ ...common, port: worker, command: 'worker' }),
    ...webhookPorts.map((own) => startN8n({ ...common, port: own, command: 'webhook' })),
  ]
  for (const starting of processes) {
    const started = await starting
    stack.defer(() => started.close())
  }
  const rest = new N8nRest(main.url)
  await rest.setUp()
  const hooks = webhookPorts.map((own) => `http://127.0.0.1:${own}/webhook`)
  return [await runs(rest, hooks, redis, false), await runs(rest, hooks, redis, true)]
}

async function runs(rest: N8nRest, hooks: readonly string[], redis: number, isFiltered: boolean): Promise<string> {
  const service = await startFinishedTasks()
  try {
    const id = await rest.addCredential('Tasks', 'svcAudioApi', { apiKey: 'any-key', baseUrl: service.url })
    const { start, ...workflow } = triggerWorkflow(service, id, isFiltered ? await once100(rest, redis) : [])
    await rest.addWorkflow({ name: isFiltered ? 'Once' : 'At least once', ...workflow }, { publish: true })
    const refused = await callBack(hooks.map((hook) => `${hook}/${start.webhookId}/webhook`))
    const { total, tasks } = await settledRuns(service)
    if (tasks !== 100 || (isFiltered && total !== 100)) throw new Error(`${total} runs of ${tasks} tasks, expected 100`)
    return `queue mode, two webhook processes${isFiltered ? ', Redis and Filter' : ''}: 100 tasks, ${total} runs; ${refused} callbacks were refused, and repeated`
  } finally {
    await service.close()
  }
}

/** The two nodes of the README. */
async function once100(rest: N8nRest, redis: number): Promise<ReturnType<typeof node>[]> {
  const data = { host: '127.0.0.1', port: redis, database: 0, user: '', password: '', ssl: false }
  const credential = await rest.addCredential('Redis', 'redis', data)
  const count = { operation: 'incr', key: '=svc-audio-{{ $json.id }}', expire: true, ttl: 172_800 }
  const condition = {
    id: 'first',
    leftValue: '={{ Object.values($json)[0] }}',
    rightValue: 1,
    operator: { type: 'number', operation: 'equals' },
  }
  const options = { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 }
  const conditions = { options, conditions: [condition], combinator: 'and' }
  return [
    node('Count', 'redis', count, { credentials: { redis: { id: credential, name: 'Redis' } } }),
    node('First', 'filter', { conditions, options: {}, looseTypeValidation: true }, { typeVersion: 2.2 }),
  ]
}

/** @returns Its port. */
async function startRedis(stack: AsyncDisposableStack): Promise<number> {
  const port = await freePort()
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], { stdio: 'pipe' })
  stack.defer(async () => {
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    await exit
  })
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept connections')) break
  return port
}
