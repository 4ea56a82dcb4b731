import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import type { Agent } from 'undici'
import { atMost, reported } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { median } from '../harness/statistics.ts'
import { firstAudio, type StreamRequest } from '../self-hosted/first-audio.ts'
import { Server } from '../self-hosted/server.ts'
import { connections } from '../self-hosted/small-requests.ts'

/** Streams before the clock starts. */
const WARM_UP = 5
/** Measured streams. */
const STREAMS = 30
/** Pause between two streams: users pause too, and the engine prepares for the next sentence. */
const PAUSE_MS = 50
/** Longest time to the first audible sample, in milliseconds. */
const FIRST_AUDIO_MS = 40

const SHORT = 'Your order is on its way.'
const LONGER = 'Your parcel has been delivered to the front desk. Please bring your passport when you pick it up.'

/** Time to the first audible sample of the self-hosted service's streaming speech. */
export const benchCase: BenchCase = {
  name: 'service-first-audio',
  description: 'streaming speech of the self-hosted service: time to the first audible sample',
  async run(context) {
    const agent = connections()
    const server = await Server.service(context, join(context.folder, 'service-first-audio'))
    try {
      const rows: BenchRow[] = []
      for (const voiceId of ['rms', 'slt', 'awb', 'kal16']) {
        rows.push(await measureStreams(context, agent, server, { input: SHORT, voiceId }))
      }
      const longer = await measureStreams(context, agent, server, { input: LONGER, voiceId: 'rms' })
      return [...rows, { ...longer, ...reported('p50, a first sentence of nine words') }]
    } finally {
      server.stop()
      await agent.close()
    }
  },
}

async function measureStreams(
  context: BenchContext,
  agent: Agent,
  server: Server,
  request: StreamRequest,
): Promise<BenchRow> {
  const name = `service first audio, ${request.voiceId}, ${request.input.length} characters`
  context.progress(name)
  const times: number[] = []
  for (let stream = -WARM_UP; stream < STREAMS; stream += 1) {
    context.signal.throwIfAborted()
    const time = await firstAudio(agent, server, request)
    if (stream >= 0) times.push(time)
    await sleep(PAUSE_MS)
  }
  const ours = median(times)
  const nothing = { limit: null, peers: {}, ratio: null }
  return { name, unit: 'ms', ours, ...nothing, ...atMost('p50', ours, FIRST_AUDIO_MS, ' ms') }
}
