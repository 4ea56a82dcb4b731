import type { BenchContext } from '../harness/bench-case.ts'
import { rounds } from '../harness/rounds.ts'
import { median, medians } from '../harness/statistics.ts'
import type { Service } from '../service/service.ts'
import type { WarmArgs } from './warm-args.ts'
import { WarmContestant } from './warm-contestant.ts'

const CLIENTS = {
  ours: new URL('./ours.ts', import.meta.url).href,
  limit: new URL('./undici.ts', import.meta.url).href,
  openai: new URL('./openai.ts', import.meta.url).href,
}

/** Name of a contestant. */
export type WarmClientName = keyof typeof CLIENTS

/** Requests before the clock starts: code compiles, and connections open. */
const WARM_UP = 4000

/** Requests that are measured in a row. */
const ROW = 500

/** Rows of each process. */
const ROWS = 6

/** Processes of each contestant: two that run the same code can differ by a fifth. */
const PROCESSES = 5

/** Microseconds of CPU a request for each contestant: the median of its processes. */
export async function warmMicroseconds<Name extends WarmClientName>(
  context: BenchContext,
  service: Service,
  names: readonly Name[],
  shape: Omit<WarmArgs, 'client' | 'origin'>,
): Promise<Record<Name, number>> {
  const { request, inFlight } = shape
  const progress = (text: string): void => context.progress(`${request}, ${inFlight} in flight, ${text}`)
  const runs = await rounds({ ...context, progress }, names, PROCESSES, (name) =>
    measureProcess(context, { client: CLIENTS[name], origin: service.origin, ...shape }),
  )
  return medians(runs, (microseconds) => microseconds)
}

/** The median of the rows of a new process. */
async function measureProcess(context: BenchContext, args: WarmArgs): Promise<number> {
  const contestant = new WarmContestant(context, args)
  try {
    await contestant.send(WARM_UP)
    const rows: number[] = []
    for (let row = 0; row < ROWS; row += 1) rows.push(await contestant.send(ROW))
    return median(rows)
  } finally {
    contestant.stop()
  }
}
