import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { delimiter, dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The owner of the instance. */
export const OWNER = { email: 'owner@n8n.test', password: 'Owner-of-test-1' }

/** How long n8n may take to start on a busy machine, in milliseconds. */
const START_TIMEOUT = 180_000

/** A running n8n with its editor. */
export interface N8nServer {
  readonly url: string
  /** Memory that the process holds now, in bytes. */
  memory(): Promise<number>
  close(): Promise<void>
}

/**
 * Starts n8n with its editor.
 * @param folder Made for it.
 * @param env Settings beside those of the process. Its `PATH` goes before the own one.
 */
export async function startN8n(
  program: string,
  folder: string,
  port: number,
  env: NodeJS.ProcessEnv,
): Promise<N8nServer> {
  const url = `http://127.0.0.1:${port}`
  await mkdir(folder, { recursive: true })
  const path = [env['PATH'] ?? '', dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
  const child = spawn(process.execPath, [program, 'start'], {
    cwd: folder,
    env: { ...process.env, ...env, PATH: path, N8N_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log = (log + chunk).slice(-4000)))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  try {
    await untilReady(`${url}/healthz/readiness`, child)
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error(`n8n did not start:\n${log}`, { cause: error })
  }
  return {
    url,
    memory: () => residentBytes(child),
    async close() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(timer)
    },
  }
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
