import { type ChildProcess, fork } from 'node:child_process'
import type { WorkerMessage } from './terms.ts'

/** The queue whose workers run. `pg-boss work` waits for its own announcements instead of fetching all the time. */
export type Contestant = 'ours' | 'pg-boss' | 'pg-boss work'

/** Running workers. */
export interface Workers {
  /** Times of starts and ends, in milliseconds since 1970. */
  readonly starts: number[]
  readonly ends: number[]
  stop(): void
}

/** Starts workers, each in its own process. Resolves when all are ready. They may have begun to work before. */
export async function startWorkers(who: Contestant, count: number, url: string, signal: AbortSignal): Promise<Workers> {
  const starts: number[] = []
  const ends: number[] = []
  const children: ChildProcess[] = []
  const stop = (): void => {
    for (const child of children) child.kill('SIGKILL')
  }
  signal.addEventListener('abort', stop, { once: true })
  const ready = Array.from({ length: count }, () => {
    const child = fork(new URL('./worker.ts', import.meta.url), [who, url], { stdio: ['ignore', 'ignore', 2, 'ipc'] })
    children.push(child)
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    child.once('exit', () => reject(new Error(`A worker of ${who} has ended`)))
    child.on('message', ({ event, at }: WorkerMessage) => {
      if (event === 'ready') resolve(undefined)
      else (event === 'start' ? starts : ends).push(at)
    })
    return promise
  })
  try {
    await Promise.all(ready)
  } catch (error) {
    stop()
    throw error
  }
  return { starts, ends, stop }
}
