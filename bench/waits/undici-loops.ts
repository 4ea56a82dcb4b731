import { setTimeout } from 'node:timers/promises'
import { bareRead } from './bare-read.ts'
import { taskIds, type WaitArgs } from './wait-args.ts'

/** What most clients do: a loop for each wait, none of which knows of the others. @returns how many tasks succeeded */
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
