import { setTimeout } from 'node:timers/promises'
import type { Contestant } from '../harness/processes.ts'

/** Arguments of a waiting client. */
export interface WaitArgs {
  /** Address of the service without `/v1`. */
  readonly origin: string
  /** Concurrent tasks. */
  readonly tasks: number
  /** Polls until each task ends. */
  readonly reads: number
}

/** Polls in flight of the limit. */
const PLACES = 32

/** Seconds between two rounds of the limit: the service's `retry_after`, equal for every task. */
const INTERVAL_SECONDS = 1

/** Clients that wait for many tasks. They return the number of succeeded tasks. */
export const contestants = {
  /** Our client, as in its documentation. */
  ours: async () => {
    const { AudioClient } = await import('@svc-audio/core')
    return async (args) => {
      const client = new AudioClient({ apiKey: 'bench', baseUrl: args.origin })
      const tasks = await client.tasks.waitAll(taskIds(args))
      await client.close()
      return tasks.filter(({ status }) => status === 'SUCCESS').length
    }
  },
  /** By hand: all tasks round after round, 32 at a time. */
  limit: async () => {
    const read = await loadRead()
    return async (args) => {
      const ids = taskIds(args)
      let succeeded = 0
      for (let round = 1; round <= args.reads; round += 1) {
        if (round > 1) await setTimeout(INTERVAL_SECONDS * 1000)
        let next = 0
        const place = async (): Promise<void> => {
          for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
            const { status } = await read(args.origin, id)
            if (status === 'SUCCESS') succeeded += 1
          }
        }
        await Promise.all(Array.from({ length: PLACES }, place))
      }
      return succeeded
    }
  },
  /** The way of most clients: an independent loop for each wait. */
  'undici, a loop a task': async () => {
    const read = await loadRead()
    return async (args) => {
      const wait = async (id: string): Promise<boolean> => {
        for (;;) {
          const { status, retry_after = 1 } = await read(args.origin, id)
          if (status !== 'PROCESSING') return status === 'SUCCESS'
          await setTimeout(retry_after * 1000)
        }
      }
      const outcomes = await Promise.all(taskIds(args).map(wait))
      return outcomes.filter(Boolean).length
    }
  },
} satisfies Readonly<Record<string, Contestant<WaitArgs, number>>>

/** The tasks' ids, which tell the service the number of polls. */
function taskIds({ tasks, reads }: WaitArgs): string[] {
  return Array.from({ length: tasks }, (_, number) => `task-${number}-${reads}`)
}

/** The fields of a task that a hand-written loop reads. */
interface BareTask {
  readonly status: string
  readonly retry_after?: number
}

/** Polls of a task without any check. */
async function loadRead(): Promise<(origin: string, id: string) => Promise<BareTask>> {
  const { request } = await import('undici')
  return async (origin, id) => {
    const { body } = await request(`${origin}/v1/audio/tasks/${id}`, {
      headers: { accept: 'application/json', authorization: 'Bearer bench', 'user-agent': 'bench' },
    })
    // The service of the benchmark answers this.
    return (await body.json()) as BareTask
  }
}
