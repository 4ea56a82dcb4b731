import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@svc-audio/kit/hosts'

const run = promisify(execFile)

/** A PostgreSQL server of this test alone. */
export interface PostgresServer {
  readonly port: number
  readonly url: string
  /** Creates a further, empty database. @returns Its address. */
  createDatabase(name: string): Promise<string>
  /** Backs a database up, and restores it as a new one. @returns Its address. */
  restoreAs(name: string, from?: string): Promise<string>
  /** Ends the server as a crash would, with all its processes, and resolves when it is gone. */
  kill(): Promise<void>
  /** Starts it again on the same data, and resolves when it answers. */
  start(): Promise<void>
  /**
   * Copies the server while it runs, and starts the copy as a standby that receives each change. From then on a commit
   * waits until the standby has it on its disk.
   */
  startStandby(): Promise<PostgresServer & { promote(): Promise<void> }>
  stop(): Promise<void>
}

/** Folders of Debian's packages, the newest version first. */
async function programFolders(): Promise<string[]> {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? await readdir(debian) : []
  const packaged = versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((name) => join(debian, name, 'bin'))
  return [...packaged, ...(process.env['PATH'] ?? '').split(delimiter)]
}

async function findProgram(name: string): Promise<string> {
  const folder = (await programFolders()).find((path) => existsSync(join(path, name)))
  if (folder === undefined) throw new Error(`${name} is missing: install PostgreSQL, for Debian the package postgresql`)
  return join(folder, name)
}

/** The user of the server: PostgreSQL refuses to run as root. @returns `undefined` for the user of this process */
export async function postgresOwner(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

/** Each process of PostgreSQL has its own group. */
async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid='])
  const pairs = stdout.trim().split('\n')
  return pairs.flatMap((pair) => {
    const [child, parent] = pair.trim().split(/\s+/).map(Number)
    return parent === pid && child !== undefined ? [child] : []
  })
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Makes a database cluster in a temporary folder and starts its server, with durable commits as in production. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const initdb = await findProgram('initdb')
  const as = await postgresOwner()
  return startServer(settings, async (data) => {
    await run(initdb, ['-D', data, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--locale=C'], { ...as })
  })
}

/** Starts a server on new data. @param fill Makes the folder of the data. */
async function startServer(
  settings: readonly string[],
  fill: (data: string) => Promise<void>,
): Promise<PostgresServer> {
  const names = ['postgres', 'psql', 'pg_dump', 'pg_basebackup']
  const [postgres = '', psql = '', pgDump = '', pgBaseBackup = ''] = await Promise.all(names.map(findProgram))
  const as = await postgresOwner()
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-postgres-'))
  if (as !== undefined) await chown(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  await fill(data)
  const port = await freePort()
  const url = `postgres://test@127.0.0.1:${port}/postgres`
  let server: ChildProcess | undefined
  const answers = (): Promise<boolean> =>
    run(psql, [url, '-Atc', 'SELECT 1']).then(
      () => true,
      () => false,
    )
  const launch = (): ChildProcess => {
    const options = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1']
    const own = ['max_connections=300', 'logging_collector=off', ...settings].flatMap((value) => ['-c', value])
    return spawn(postgres, [...options, ...own], { ...as, stdio: 'ignore' })
  }
  const start = async (): Promise<void> => {
    server = launch()
    // On a busy disk, recovery after a kill takes more than a minute.
    const until = Date.now() + 110_000
    while (!(await answers())) {
      if (Date.now() > until) throw new Error('PostgreSQL does not answer')
      // A process that the killed server had just started may still hold the memory.
      if (server.exitCode !== null) server = launch()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const endServer = async (signal: NodeJS.Signals): Promise<void> => {
    const child = server
    server = undefined
    if (child?.pid === undefined || child.exitCode !== null) return
    const gone = once(child, 'exit')
    // Its other processes would live on until their queries end, and nothing else could start on the data.
    const others = signal === 'SIGKILL' ? await childrenOf(child.pid) : []
    for (const pid of [child.pid, ...others]) end(pid, signal)
    await gone
  }
  await start()
  return {
    port,
    url,
    async createDatabase(name) {
      await run(psql, [url, '-c', `CREATE DATABASE ${name}`])
      return `postgres://test@127.0.0.1:${port}/${name}`
    },
    async restoreAs(name, from = url) {
      const backup = join(folder, `${name}.sql`)
      const target = `postgres://test@127.0.0.1:${port}/${name}`
      await run(psql, [url, '-c', `CREATE DATABASE ${name}`])
      await run(pgDump, [from, '-n', 'svc_audio', '-f', backup])
      await run(psql, [target, '-v', 'ON_ERROR_STOP=1', '-f', backup])
      return target
    },
    kill: () => endServer('SIGKILL'),
    async startStandby() {
      const standby = await startServer(settings, async (copy) => {
        await run(pgBaseBackup, ['-D', copy, '-d', url, '-R', '-X', 'stream', '-c', 'fast'], { ...as })
      })
      const query = async (target: string, text: string): Promise<string> =>
        (await run(psql, [target, '-Atc', text])).stdout.trim()
      // Not in the copy: a promoted standby has no standby of its own to wait for.
      await query(url, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
      await query(url, 'SELECT pg_reload_conf()')
      const until = Date.now() + 60_000
      while ((await query(url, 'SELECT sync_state FROM pg_stat_replication')) !== 'sync') {
        if (Date.now() > until) throw new Error('The standby does not follow')
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return { ...standby, promote: async () => void (await query(standby.url, 'SELECT pg_promote()')) }
    },
    start,
    async stop() {
      await endServer('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
