import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'

/** Interval at which a holder renews its lock, in milliseconds. */
const RENEW_MS = 2000
/** Age at which a lock of another machine is stale, in milliseconds. */
const STALE_MS = 30_000
/** Interval of checks for a released lock, in milliseconds. */
const LOOK_MS = 100

/** Releases a lock. */
export type Release = () => Promise<void>

/**
 * Takes a lock among processes that share a folder. The lock of a killed process is stale: at once on the same machine,
 * after half a minute on another.
 *
 * @returns `undefined` when another process holds it
 * @throws the file system's error when the folder cannot be written
 */
export async function tryLock(path: string): Promise<Release | undefined> {
  await mkdir(dirname(path), { recursive: true })
  const content = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() })
  if (!(await created(path, content)) && !(await takenOver(path, content))) return undefined
  const renewing = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => undefined)
  }, RENEW_MS)
  renewing.unref()
  return async () => {
    clearInterval(renewing)
    await rm(path, { force: true })
  }
}

/** Waits until the next check of a lock that another process holds. */
export function untilNextLook(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, LOOK_MS)
    signal.addEventListener('abort', abort, { once: true })
  })
}

async function created(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/**
 * Replaces a lock whose holder is dead. One process does so at a time: another one that saw the same dead holder would
 * remove the new lock.
 */
async function takenOver(path: string, content: string): Promise<boolean> {
  if (!(await isStale(path))) return await created(path, content)
  const turn = `${path}.stale`
  if (!(await created(turn, content))) {
    // A process that was killed in its turn: the next check finds the way free. Only then could two have a turn at once.
    if (await isStale(turn)) await rm(turn, { force: true })
    return false
  }
  try {
    if (await isStale(path)) await rm(path, { force: true })
    return await created(path, content)
  } finally {
    await rm(turn, { force: true })
  }
}

async function isStale(path: string): Promise<boolean> {
  const content = await readFile(path, 'utf8').catch(() => undefined)
  if (content === undefined) return false
  const { host, pid } = holderOf(content)
  if (host === hostname() && pid !== undefined) return !isAlive(pid)
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
  return age > STALE_MS
}

function holderOf(content: string): { readonly host?: unknown; readonly pid?: number | undefined } {
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value !== 'object' || value === null) return {}
    const pid: unknown = Reflect.get(value, 'pid')
    return { host: Reflect.get(value, 'host'), pid: typeof pid === 'number' ? pid : undefined }
  } catch {
    return {} // half written: its age decides
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
