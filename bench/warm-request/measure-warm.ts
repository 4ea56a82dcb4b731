import type { BenchContext } from '../harness/bench-case.ts'
import { measure } from '../harness/measure.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
import type { Service } from '../service/service.ts'
import type { WarmArgs } from './warm-args.ts'

const CLIENTS = {
  ours: new URL('./ours.ts', import.meta.url),
  limit: new URL('./undici.ts', import.meta.url),
  openai: new URL('./openai.ts', import.meta.url),
}

/** Name of one who asks. */
export type WarmClientName = keyof typeof CLIENTS

/** Microseconds of CPU a request, of each contestant: the median of several processes. */
export async function warmMicroseconds<Name extends WarmClientName>(
  context: BenchContext,
  service: Service,
  names: readonly Name[],
  shape: Omit<WarmArgs, 'client' | 'origin'>,
): Promise<Record<Name, number>> {
  const what = `${shape.request}, ${shape.inFlight} in flight`
  const told: BenchContext = { ...context, progress: (text) => context.progress(`${what}, ${text}`) }
  const runs = await rounds(told, names, 5, async (name) => {
    const args: WarmArgs = { client: CLIENTS[name].href, origin: service.origin, ...shape }
    return (await measure<number>(context, new URL('./warm-process.ts', import.meta.url), args)).result
  })
  return medians(runs, (microseconds) => microseconds)
}
