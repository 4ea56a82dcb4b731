import { pureSize } from '../cold-import/pure-size.ts'
import { type ProgramName, PROGRAMS } from '../cold-import/programs.ts'
import { runProgram } from '../cold-import/run-program.ts'
import { atMost } from '../harness/bars.ts'
import type { BenchCase, BenchRow } from '../harness/bench-case.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
import { KB } from '../harness/units.ts'
import { Service } from '../service/service.ts'

/** Longest import and longest first request, in times of undici's. */
const MOST_IMPORT = 1
/** Longest import, in times of openai's. */
const MOST_IMPORT_BESIDE_OPENAI = 0.5
const MOST_REQUEST = 1.25

/** Largest size of `./pure` in kilobytes. */
const MOST_KB = 16

/** The client's cost in a short-lived program. */
export const benchCase: BenchCase = {
  name: 'cold-import',
  description: 'a fresh process that imports the client, and one that sends a request: time; size of ./pure',
  async run(context) {
    const service = await Service.start()
    try {
      // The object names the same programs.
      const names = Object.keys(PROGRAMS) as ProgramName[]
      const runs = await rounds(context, names, 15, (name) => runProgram(context, name, service.origin))
      const size = (await pureSize()) / KB
      const pure = { name: 'size of ./pure, minified and gzipped', unit: 'KB', ours: size, limit: null, peers: {} }
      return [
        ...timeRows(medians(runs, (milliseconds) => milliseconds)),
        { ...pure, ratio: null, ...atMost('ours', size, MOST_KB, ' KB') },
      ]
    } finally {
      service.stop()
    }
  },
}

function timeRows(time: Record<ProgramName, number>): BenchRow[] {
  const imported = time['ours, import']
  const asked = time['ours, request']
  const importRatio = imported / time['undici, import']
  const requestRatio = asked / time['undici, request']
  return [
    {
      name: 'cold process that imports',
      unit: 'ms',
      ours: imported,
      limit: time.nothing,
      peers: { undici: time['undici, import'], openai: time['openai, import'] },
      ratio: importRatio,
      ...atMost('ours/undici', importRatio, MOST_IMPORT),
    },
    {
      name: 'cold process that imports, beside openai',
      unit: 'ms',
      ours: imported,
      limit: time.nothing,
      peers: { openai: time['openai, import'] },
      ratio: imported / time['openai, import'],
      ...atMost('ours/openai', imported / time['openai, import'], MOST_IMPORT_BESIDE_OPENAI),
    },
    {
      name: 'cold process that imports and sends one request',
      unit: 'ms',
      ours: asked,
      limit: time['undici, request'],
      peers: { openai: time['openai, request'] },
      ratio: requestRatio,
      ...atMost('ours/limit', requestRatio, MOST_REQUEST),
    },
  ]
}
