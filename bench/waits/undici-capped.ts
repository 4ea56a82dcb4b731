import { setTimeout } from 'node:timers/promises'
import { bareRead } from './bare-read.ts'
import { taskIds, type WaitArgs } from './wait-args.ts'

/** Polls in flight. */
const PLACES = 32

/** Seconds between two rounds: the service's `retry_after`, equal for every task. */
const INTERVAL_SECONDS = 1

/** By hand: all tasks round after round, 32 at a time. @returns number of succeeded tasks */
export async function run(args: WaitArgs): Promise<number> {
  const ids = taskIds(args)
  let succeeded = 0
  for (let round = 1; round <= args.reads; round += 1) {
    if (round > 1) await setTimeout(INTERVAL_SECONDS * 1000)
    let next = 0
    const place = async (): Promise<void> => {
      for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
        const { status } = await bareRead(args.origin, id)
        if (status === 'SUCCESS') succeeded += 1
      }
    }
    await Promise.all(Array.from({ length: PLACES }, place))
  }
  return succeeded
}
