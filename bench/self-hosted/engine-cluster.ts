import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@svc-audio/kit/hosts'
import { openPostgres } from '../../apps/service/src/drivers/postgres/database.ts'
import { migrate } from '../../apps/service/src/drivers/postgres/migrate.ts'
import { startPostgres } from '../../apps/service/test/postgres/server.ts'
import { S3_CREDENTIALS, startS3 } from '../../apps/service/test/s3/server.ts'
import type { BenchContext } from '../harness/bench-case.ts'
import type { ServerAddress } from './requests.ts'
import { startProgram } from './server.ts'

/** A process of the program with its own engines. */
export class EngineProcess {
  readonly #child: ChildProcess

  constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Stops it until `resume`, so that a queue can be filled before anything starts. */
  pause(): void {
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  /** Ends it, paused or not. Its engines end with it. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }
}

/** PostgreSQL, S3 and an API process on this machine. */
export interface EngineCluster {
  readonly api: ServerAddress
  /** Starts one more process, and resolves when it is ready. */
  start(role: 'worker' | 'all'): Promise<EngineProcess>
  /** Tasks that have not ended. */
  open(): Promise<number>
  stop(): Promise<void>
}

/** Starts a cluster without workers. */
export async function startEngineCluster(context: BenchContext): Promise<EngineCluster> {
  const [postgres, s3, port] = await Promise.all([startPostgres(), startS3(), freePort()])
  const database = await openPostgres({ url: postgres.url, connections: 1, onError: () => {} })
  const origin = `http://127.0.0.1:${port}`
  const environment = {
    ...S3_CREDENTIALS,
    DATABASE_URL: postgres.url,
    SVC_AUDIO_SECRET_KEY: 'a-key-of-at-least-32-characters-for-tests',
    S3_BUCKET: s3.bucket,
    S3_ENDPOINT: s3.endpoint,
  }
  const processes: EngineProcess[] = []
  let count = 0
  const start = async (role: 'api' | 'worker' | 'all', flags: readonly string[] = []): Promise<EngineProcess> => {
    count += 1
    const dataDir = join(context.folder, `cluster-${count}`)
    const all = ['--role', role, '--public-url', origin, ...flags]
    const { child } = await startProgram(context, { dataDir, flags: all, environment })
    const process = new EngineProcess(child)
    processes.push(process)
    return process
  }
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((process) => process.stop()))
    await database.destroy()
    await Promise.all([postgres.stop(), s3.stop()])
  }
  try {
    await migrate(database)
    await start('api', ['--port', String(port)])
  } catch (error) {
    await stop()
    throw error
  }
  return {
    api: { origin },
    start,
    async open() {
      const query = database.selectFrom('jobs').select(({ fn }) => fn.countAll<number>().as('open'))
      return (await query.executeTakeFirstOrThrow()).open
    },
    stop,
  }
}
