import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import type { Agent } from 'undici'
import {
  type BenchCase,
  type BenchContext,
  type BenchRow,
  besideLimit,
  median,
  reported,
} from '../harness/bench-case.ts'
import { connections, firstAudio, type StreamRequest } from '../self-hosted/requests.ts'
import { Server } from '../self-hosted/server.ts'

/** Streams before the clock starts. */
const WARM_UP = 5
/** Measured streams. */
const STREAMS = 40
/** Pause between two streams: users pause too, and the engine prepares for the next sentence. */
const PAUSE_MS = 50
/**
 * Longest time to the first audible sample, in times of flite by hand. The target is 1.6. Beside other work the ratio
 * varies from 1.2 to 2.1, because each of the engine's messages waits for a processor.
 */
const MOST_RATIO = 2.5

const SHORT = 'Your order is on its way.'
const LONGER = 'Your parcel has been delivered to the front desk. Please bring your passport when you pick it up.'

/** Time to the first audible sample of the self-hosted service's streaming speech, next to flite by hand. */
export const benchCase: BenchCase = {
  name: 'service-first-audio',
  description: 'streaming speech of the self-hosted service: time to the first audible sample, next to flite by hand',
  async run(context) {
    const agent = connections()
    const ours = await Server.service(context, join(context.folder, 'service-first-audio'))
    const limit = await Server.bare(context, 'speech', context.folder)
    try {
      const measure = (request: StreamRequest): Promise<BenchRow> => {
        return measureStreams(context, agent, { ours, limit }, request)
      }
      const rows: BenchRow[] = []
      for (const voiceId of ['rms', 'slt', 'awb', 'kal16']) rows.push(await measure({ input: SHORT, voiceId }))
      // By hand, the whole text is spoken before the first sample.
      const longer = await measure({ input: LONGER, voiceId: 'rms' })
      return [...rows, { ...longer, ...reported('ours/limit, a first sentence of nine words') }]
    } finally {
      ours.stop()
      limit.stop()
      await agent.close()
    }
  },
}

/** Streams of both servers in turns: other load of the machine affects both alike. */
async function measureStreams(
  context: BenchContext,
  agent: Agent,
  servers: Readonly<Record<'ours' | 'limit', Server>>,
  request: StreamRequest,
): Promise<BenchRow> {
  const name = `service first audio, ${request.voiceId}, ${request.input.length} characters`
  context.progress(name)
  const times = { ours: [] as number[], limit: [] as number[] }
  for (let stream = -WARM_UP; stream < STREAMS; stream += 1) {
    for (const who of ['ours', 'limit'] as const) {
      context.signal.throwIfAborted()
      const time = await firstAudio(agent, servers[who], request)
      if (stream >= 0) times[who].push(time)
      await sleep(PAUSE_MS)
    }
  }
  return besideLimit({ name, unit: 'ms', ours: median(times.ours), limit: median(times.limit) }, MOST_RATIO)
}
