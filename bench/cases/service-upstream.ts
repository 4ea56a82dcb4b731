import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { atMost, type BenchCase, type BenchContext, type BenchRow, MB, median } from '../harness/bench-case.ts'
import { ScriptedService, SECONDS_PER_CHARACTER, TONE_RATE } from '../scripted/service.ts'
import { firstAudio, postSpeech, type ServerAddress } from '../self-hosted/requests.ts'
import { Program } from '../self-hosted/server.ts'

/** Streams before the clock starts, and measured ones. */
const WARM_UP = 5
const STREAMS = 40

/** Longest time to the first audible sample, in times of a call without the service. */
const MOST_RATIO = 1.15

/** Streams at once, and the speech of each. */
const AT_ONCE = 200
const SECONDS = 40

/** Most memory in the second half of the streams, in times of that in the first. */
const MOST_GROWTH = 1.1

const VOICE = 'far'
const SHORT = 'Your order is on its way.'
const SENTENCE = 'The old clock on the wall had stopped many years ago, and nobody remembered when. '

/** The service before a speech server, next to calls of that server. */
export const benchCase: BenchCase = {
  name: 'service-upstream',
  description: 'a speech server behind the service: first audio next to a direct call, and memory of 200 streams',
  async run(context) {
    const agent = new Agent({ connections: AT_ONCE, keepAliveTimeout: 60_000 })
    const direct = await ScriptedService.start('tone')
    const service = await startBefore(context, direct)
    try {
      return [await compareFirstAudio(context, agent, { service, direct }), await streamMany(context, agent, service)]
    } finally {
      service.stop()
      direct.stop()
      await agent.close()
    }
  },
}

/** Starts the program with the speech server as its only voice, and waits until the engine works. */
async function startBefore(context: BenchContext, { origin }: ServerAddress): Promise<Program> {
  const folder = join(context.folder, 'service-upstream')
  await mkdir(folder)
  const file = join(folder, 'engines.yaml')
  await writeFile(
    file,
    `engines:
  far:
    driver: openai
    baseUrl: ${origin}/v1
    atOnce: ${AT_ONCE}
    speech: { model: tts-1, format: pcm, sampleRate: ${TONE_RATE}, voices: [{ id: ${VOICE}, voice: alloy }] }
bundled: [recognition, diarization]
`,
  )
  const service = await Program.start(context, { dataDir: folder, environment: { SVC_AUDIO_ENGINES: file } })
  for (;;) {
    const state = (await (await fetch(`${service.origin}/readyz`)).json()) as { readonly engines?: unknown }
    if (state.engines === undefined) return service
    await sleep(100, undefined, { signal: context.signal })
  }
}

async function compareFirstAudio(
  context: BenchContext,
  agent: Agent,
  servers: { readonly service: ServerAddress; readonly direct: ServerAddress },
): Promise<BenchRow> {
  const name = 'upstream: first audio'
  context.progress(name)
  const times = { service: [] as number[], direct: [] as number[] }
  for (let stream = -WARM_UP; stream < STREAMS; stream += 1) {
    for (const who of ['service', 'direct'] as const) {
      context.signal.throwIfAborted()
      const time = await firstAudio(agent, servers[who], { input: SHORT, voiceId: VOICE })
      if (stream >= 0) times[who].push(time)
    }
  }
  const { ours, limit } = { ours: median(times.service), limit: median(times.direct) }
  const ratio = ours / limit
  return { name, unit: 'ms', ours, limit, peers: {}, ratio, ...atMost('ours/direct call', ratio, MOST_RATIO) }
}

async function streamMany(context: BenchContext, agent: Agent, service: Program): Promise<BenchRow> {
  const name = `upstream: ${AT_ONCE} streams of ${SECONDS} s at once, peak memory of the second half`
  context.progress(name)
  const input = SENTENCE.repeat(Math.ceil(SECONDS / SECONDS_PER_CHARACTER / SENTENCE.length))
  await service.cost()
  const all = Array.from({ length: AT_ONCE }, () => readStream(agent, service, input))
  const done = Promise.all(all)
  await Promise.race([done, sleep((SECONDS * 1000) / 2)])
  const first = await service.cost()
  const lengths = await done
  const second = await service.cost()
  const [min, max] = [Math.min(...lengths), Math.max(...lengths)]
  if (min !== max || min === 0) throw new Error(`The streams have ${min} to ${max} bytes`)
  const ratio = second.peakBytes / first.peakBytes
  const row = { name, unit: 'MB', ours: second.peakBytes / MB, limit: null, peers: {}, ratio }
  return { ...row, ...atMost('second half/first half', ratio, MOST_GROWTH) }
}

/** Reads a stream to its end. @returns its bytes */
async function readStream(agent: Agent, service: ServerAddress, input: string): Promise<number> {
  const body = await postSpeech(agent, service, { input, voice_id: VOICE, response_format: 'pcm', stream: true })
  let bytes = 0
  for await (const chunk of body) bytes += (chunk as Buffer).length
  return bytes
}
