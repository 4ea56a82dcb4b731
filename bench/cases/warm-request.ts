import type { WarmArgs } from '../contestants/warm-request.ts'
import {
  atLeast,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  besideLimit,
  medians,
  rounds,
} from '../harness/bench-case.ts'
import { measure } from '../harness/processes.ts'
import { ScriptedService } from '../scripted/service.ts'

const CONTESTANTS = new URL('../contestants/warm-request.ts', import.meta.url)

/** Processes of each contestant: two that run the same code can differ by a fifth. */
const PROCESSES = 5

/** CPU of a small request on an open connection. */
export const benchCase: BenchCase = {
  name: 'warm-request',
  description: 'small requests on open connections: CPU of the client a request',
  async run(context) {
    const service = await ScriptedService.start()
    try {
      return [
        ...(await models(context, service, 1)),
        ...(await models(context, service, 16)),
        await speech(context, service, 1),
      ]
    } finally {
      service.stop()
    }
  },
}

async function models(context: BenchContext, { origin }: ScriptedService, inFlight: number): Promise<BenchRow[]> {
  const args = { origin, request: 'models', inFlight } as const
  const { ours, limit, ...peers } = await microseconds(context, ['ours', 'limit', 'openai'], args)
  const row = { name: `warm models.list, ${inFlight} in flight`, unit: 'µs CPU', ours, limit, peers }
  const toOpenai = peers.openai / ours
  return [besideLimit(row, 1.25), { ...row, ratio: toOpenai, ...atLeast('openai/ours', toOpenai, 1.5) }]
}

async function speech(context: BenchContext, { origin }: ScriptedService, inFlight: number): Promise<BenchRow> {
  const values = await microseconds(context, ['ours', 'limit'], { origin, request: 'speech', inFlight })
  return besideLimit({ name: `warm speech.createUrl, ${inFlight} in flight`, unit: 'µs CPU', ...values }, 1.25)
}

/** Microseconds of CPU a request for each contestant: the median of its processes. */
async function microseconds<Name extends string>(
  context: BenchContext,
  names: readonly Name[],
  args: WarmArgs,
): Promise<Record<Name, number>> {
  const progress = (text: string): void => context.progress(`${args.request}, ${args.inFlight} in flight, ${text}`)
  const runs = await rounds({ ...context, progress }, names, PROCESSES, (name) =>
    measure<number>(context, CONTESTANTS, name, args),
  )
  return medians(runs, ({ result }) => result)
}
