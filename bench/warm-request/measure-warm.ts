import type { BenchContext } from '../harness/bench-case.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
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
const WARM_UP = 5000

/** Requests in a row. Many short alternating rows: other load of the machine affects all contestants alike. */
const ROW = 500

/** Rows of each contestant. */
const ROWS = 30

/** Microseconds of CPU a request for each contestant: the median of its rows. */
export async function warmMicroseconds<Name extends WarmClientName>(
  context: BenchContext,
  service: Service,
  names: readonly Name[],
  shape: Omit<WarmArgs, 'client' | 'origin'>,
): Promise<Record<Name, number>> {
  const contestants = new Map<Name, WarmContestant>()
  try {
    for (const name of names) {
      const args = { client: CLIENTS[name], origin: service.origin, ...shape }
      contestants.set(name, new WarmContestant(context, args))
    }
    context.progress(`${shape.request}, ${shape.inFlight} in flight`)
    for (const contestant of contestants.values()) await contestant.send(WARM_UP)
    const quiet: BenchContext = { ...context, progress: () => {} }
    const runs = await rounds(quiet, names, ROWS, async (name) => contestants.get(name)?.send(ROW) ?? Number.NaN)
    return medians(runs, (microseconds) => microseconds)
  } finally {
    for (const contestant of contestants.values()) contestant.stop()
  }
}
