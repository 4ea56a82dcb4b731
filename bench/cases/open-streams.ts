import type { StreamArgs } from '../contestants/open-streams.ts'
import { type BenchCase, besideLimit, KB, medians, rounds } from '../harness/bench-case.ts'
import { measure } from '../harness/processes.ts'
import { ScriptedService } from '../scripted/service.ts'

const CONTESTANTS = new URL('../contestants/open-streams.ts', import.meta.url)

/** Streams open at once. */
const STREAMS = 10_000

/** Maximum memory per stream, in times of undici's. */
const MOST_RATIO = 1.5

/** Memory of many streams of speech that are open at once. */
export const benchCase: BenchCase = {
  name: 'open-streams',
  description: '10,000 streams of speech open at once: memory of the client for each',
  async run(context) {
    const service = await ScriptedService.start('held')
    try {
      const args: StreamArgs = { origin: service.origin, streams: STREAMS }
      const costs = await rounds(context, ['ours', 'limit'], 3, (name) =>
        measure<number>(context, CONTESTANTS, name, args),
      )
      const values = medians(costs, ({ result }) => result / KB)
      return [besideLimit({ name: `${STREAMS} streams at once, memory each`, unit: 'KB', ...values }, MOST_RATIO)]
    } finally {
      service.stop()
    }
  },
}
