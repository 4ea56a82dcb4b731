import { setTimeout } from 'node:timers/promises'
import { bareRead } from './bare-read.ts'
import { taskIds, type WaitArgs } from './wait-args.ts'

/** The way of most clients: an independent loop for each wait. @returns number of succeeded tasks */
export async function run(args: WaitArgs): Promise<number> {
  const wait = async (id: string): Promise<boolean> => {
    for (;;) {
      const { status, retry_after = 1 } = await bareRead(args.origin, id)
      if (status !== 'PROCESSING') return status === 'SUCCESS'
      await setTimeout(retry_after * 1000)
    }
  }
  const outcomes = await Promise.all(taskIds(args).map(wait))
  return outcomes.filter(Boolean).length
}
