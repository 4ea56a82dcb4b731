import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { delimiter, dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { brokerPort, type InstalledN8n } from './n8n-home.ts'

/** The owner of the instance. */
export const OWNER = { email: 'owner@n8n.test', password: 'Owner-of-test-1' }

/** How long n8n may take to start on a busy machine, in milliseconds. */
const START_TIMEOUT = 900_000

/** A running n8n with its editor. */
export interface N8nServer {
  readonly url: string
  /** Memory that the process holds now, in bytes. */
  memory(): Promise<number>
  /** Memory that it needs now: its garbage is collected first. In bytes. */
  liveMemory(): Promise<number>
  /** The end of what it has written since its first start. */
  log(): string
  /** Stops it in order, or kills it without notice, and starts it again. */
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  close(): Promise<void>
}

/** What {@link startN8n} needs. */
export interface N8nServerOptions {
  readonly installed: InstalledN8n
  /** Made for it. */
  readonly folder: string
  readonly port: number
  /** Settings beside those of the process. Its `PATH` goes before the own one. */
  readonly env: NodeJS.ProcessEnv
  /** A process of queue mode. @default 'start', the editor with everything */
  readonly command?: 'start' | 'webhook' | 'worker'
}

/** Maximum length of the stored log, in characters. */
const LOG_LENGTH = 500_000

/** Starts n8n. */
export async function startN8n(options: N8nServerOptions): Promise<N8nServer> {
  const url = `http://127.0.0.1:${options.port}`
  let log = ''
  const launch = async (): Promise<ChildProcess> => {
    const child = await spawnN8n(options)
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (log = (log + chunk).slice(-LOG_LENGTH)))
    try {
      await untilReady(`${url}/healthz/readiness`, child)
      // n8n 2.0 is ready some time before the editor can sign in
      if ((options.command ?? 'start') === 'start') await untilReady(`${url}/rest/settings`, child)
      return child
    } catch (error) {
      killGroup(child, 'SIGKILL')
      throw new Error(`n8n did not start:\n${log.slice(-4000)}`, { cause: error })
    }
  }
  let child = await launch()
  return {
    url,
    memory: () => residentBytes(child),
    liveMemory() {
      const inspector = [...log.matchAll(/Debugger listening on (ws:\S+)/g)].at(-1)?.[1]
      if (inspector === undefined) throw new Error('n8n runs without an inspector')
      return liveMemory(inspector)
    },
    log: () => log,
    async restart(signal) {
      await ended(child, signal)
      child = await launch()
    },
    async close() {
      const timer = setTimeout(() => killGroup(child, 'SIGKILL'), 10_000)
      await ended(child, 'SIGTERM').finally(() => clearTimeout(timer))
      // what it has started
      killGroup(child, 'SIGKILL')
    },
  }
}

async function spawnN8n({ installed, folder, port, env, command = 'start' }: N8nServerOptions): Promise<ChildProcess> {
  const { program, node } = installed
  await mkdir(folder, { recursive: true })
  const path = [env['PATH'] ?? '', dirname(node), process.env['PATH'] ?? ''].join(delimiter)
  const child = spawn(node, ['--inspect=127.0.0.1:0', program, command], {
    cwd: folder,
    env: { ...process.env, ...env, ...(await brokerPort()), PATH: path, N8N_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // a group of its own: it starts processes that run code
    detached: true,
  })
  killAtExit(child)
  return child
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  if (signal === 'SIGKILL') killGroup(child, signal)
  else child.kill(signal)
  await exit
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const end = Date.now() + START_TIMEOUT
  while (Date.now() < end && child.exitCode === null) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return
    await delay(500)
  }
  throw new Error('It is not ready')
}

async function residentBytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024
}

/** Memory that is in use after a collection of all garbage. */
interface HeapUsage {
  readonly usedSize: number
  readonly backingStorageSize: number
}

/**
 * Collects the garbage of a process, and measures what stays: objects, and the bytes of buffers.
 * @param url Where its inspector listens.
 * @returns Bytes
 */
async function liveMemory(url: string): Promise<number> {
  const socket = new WebSocket(url)
  const failed = Promise.withResolvers<never>()
  socket.addEventListener('error', () => failed.reject(new Error(`The inspector at ${url} does not answer`)))
  const call = async <Result>(id: number, method: string): Promise<Result> => {
    const answered = Promise.withResolvers<Result>()
    const receive = ({ data }: MessageEvent): void => {
      const message = JSON.parse(String(data)) as { id?: number; result: Result }
      if (message.id === id) answered.resolve(message.result)
    }
    socket.addEventListener('message', receive)
    socket.send(JSON.stringify({ id, method }))
    return Promise.race([answered.promise, failed.promise])
  }
  try {
    const opened = new Promise((resolve) => socket.addEventListener('open', resolve))
    await Promise.race([opened, failed.promise])
    await call(1, 'HeapProfiler.collectGarbage')
    const { usedSize, backingStorageSize } = await call<HeapUsage>(2, 'Runtime.getHeapUsage')
    return usedSize + backingStorageSize
  } finally {
    socket.close()
  }
}

const owned = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of owned) killGroup(child, 'SIGKILL')
})

/** Kills a process with its group when this process ends, whatever ends it. The process leads a group of its own. */
function killAtExit(child: ChildProcess): void {
  owned.add(child)
  child.once('exit', () => owned.delete(child))
}

/** Sends a signal to a process and to all that it has started. */
function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // they have ended by themselves
  }
}
