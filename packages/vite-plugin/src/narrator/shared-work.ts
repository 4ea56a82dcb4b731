import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Interval at which a holder renews its lock, in milliseconds. */
const RENEW_MS = 2000
/** Age at which a lock of another machine is stale, in milliseconds. */
const STALE_MS = 30_000
/** Interval of checks for a released lock, in milliseconds. */
const LOOK_MS = 100

/** The caller that needs the result of shared work. */
export interface Caller {
  /** Signal of a build or a server. Work stops when every scope that needs it has aborted. */
  readonly scope: AbortSignal
  /**
   * Signal of one listener, which may disconnect earlier. Queued work without listeners is dropped. Started work is billed,
   * so it is finished for the next listener.
   */
  readonly gone?: AbortSignal
}

/** Argument of shared work. */
export interface Work {
  /** Aborts when no caller needs the result. */
  readonly signal: AbortSignal
  /** The work calls this when its billable call starts. */
  readonly started: () => void
}

/** Work in flight by key. Parallel requests for the same key share one run. */
export class SharedWork<Result> {
  readonly #jobs = new Map<string, Job<Result>>()

  /** Joins the work in flight for this key, or starts it. Rejects with the reason of the caller's signals. */
  run(key: string, caller: Caller, work: (job: Work) => Promise<Result>): Promise<Result> {
    if (caller.scope.aborted) return Promise.reject(abortReason(caller.scope))
    const running = this.#jobs.get(key)
    if (running !== undefined) return running.join(caller)
    const job: Job<Result> = new Job(work, () => {
      if (this.#jobs.get(key) === job) this.#jobs.delete(key)
    })
    this.#jobs.set(key, job)
    return job.join(caller)
  }
}

class Job<Result> {
  readonly #controller = new AbortController()
  readonly #scopes = new Set<AbortSignal>()
  readonly #result: Promise<Result>
  readonly #forget: () => void
  #waiting = 0
  #started = false

  constructor(work: (job: Work) => Promise<Result>, forget: () => void) {
    this.#forget = forget
    this.#result = work({ signal: this.#controller.signal, started: () => (this.#started = true) })
    const over = (): void => {
      forget()
      for (const scope of this.#scopes) scope.removeEventListener('abort', this.#scopeEnded)
    }
    this.#result.then(over, over)
  }

  join({ scope, gone }: Caller): Promise<Result> {
    if (!this.#scopes.has(scope)) {
      this.#scopes.add(scope)
      scope.addEventListener('abort', this.#scopeEnded, { once: true })
    }
    this.#waiting += 1
    return unlessAborted(this.#result, gone === undefined ? [scope] : [scope, gone]).finally(() => {
      this.#waiting -= 1
      if (this.#waiting === 0 && !this.#started) this.#abort(gone ?? scope)
    })
  }

  readonly #scopeEnded = (event: Event): void => {
    for (const scope of this.#scopes) if (scope === event.target) this.#scopes.delete(scope)
    if (this.#scopes.size === 0 && event.target instanceof AbortSignal) this.#abort(event.target)
  }

  /** Forgets the job first: a later caller must not join aborted work. */
  #abort(why: AbortSignal): void {
    this.#forget()
    this.#controller.abort(abortReason(why))
  }
}

/** Settles as the promise, or rejects with the reason of the first signal that aborts. Removes its listeners. */
function unlessAborted<Result>(promise: Promise<Result>, signals: readonly AbortSignal[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortReason(signals.find((signal) => signal.aborted)))
    for (const signal of signals) signal.addEventListener('abort', abort, { once: true })
    if (signals.some((signal) => signal.aborted)) abort()
    const clean = (): void => {
      for (const signal of signals) signal.removeEventListener('abort', abort)
    }
    promise.then(resolve, reject).finally(clean)
  })
}

function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('Stopped', { cause: reason })
}

/**
 * Runs a task while no other process that shares the folder of a lock does.
 * @param signal Ends the wait for another process. Rejects with its reason.
 */
export async function locked<Result>(path: string, signal: AbortSignal, task: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const release = await tryLock(path)
    if (release !== undefined) {
      try {
        return await task()
      } finally {
        await release()
      }
    }
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/** Releases a lock. */
type Release = () => Promise<void>

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
  if (host === hostname() && typeof pid === 'number') return !isAlive(pid)
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
  return age > STALE_MS
}

function holderOf(content: string): { readonly host?: unknown; readonly pid?: unknown } {
  try {
    return { ...Object(JSON.parse(content)) }
  } catch {
    return {} // half written: its age decides
  }
}

/** Whether a process of this machine runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
