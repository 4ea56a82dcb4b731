import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { atMost } from '../harness/bars.ts'
import type { BenchCase } from '../harness/bench-case.ts'
import { measure } from '../harness/measure.ts'
import { nextMessage } from '../harness/next-message.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
import { KB } from '../harness/units.ts'
import type { StreamArgs } from '../open-streams/stream-args.ts'

/** Streams open at once. */
const STREAMS = 10_000

/** Maximum memory per stream, in times of undici's. */
const MOST_RATIO = 1.5

const SERVICE = fileURLToPath(new URL('../open-streams/streaming-process.ts', import.meta.url))

const CLIENTS = {
  ours: new URL('../open-streams/ours.ts', import.meta.url),
  limit: new URL('../open-streams/undici.ts', import.meta.url),
}

/** Memory of many streams of speech that are open at once. */
export const benchCase: BenchCase = {
  name: 'open-streams',
  description: '10,000 streams of speech open at once: memory of the client for each',
  async run(context) {
    const service = fork(SERVICE, { stdio: ['ignore', process.stderr, process.stderr, 'ipc'] })
    try {
      const args: StreamArgs = { origin: `http://127.0.0.1:${await nextMessage<number>(service)}`, streams: STREAMS }
      // The object names the same clients.
      const names = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[]
      const costs = await rounds(context, names, 3, (name) => measure<number>(context, CLIENTS[name], args))
      const { ours, limit } = medians(costs, ({ result }) => result / KB)
      const ratio = ours / limit
      const row = { name: `${STREAMS} streams at once, memory each`, unit: 'KB', ours, limit, peers: {}, ratio }
      return [{ ...row, ...atMost('ours/limit', ratio, MOST_RATIO) }]
    } finally {
      service.kill()
    }
  },
}
