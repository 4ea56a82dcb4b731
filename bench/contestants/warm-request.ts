import type { request } from 'undici'
import { median, repeat } from '../harness/bench-case.ts'
import { ownCpuSeconds } from '../harness/process-costs.ts'
import type { Contestant } from '../harness/processes.ts'

/** Kind of request: `models` reads the model list, `speech` posts a short text and gets a URL. */
export type WarmRequest = 'models' | 'speech'

/** Arguments of a contestant. */
export interface WarmArgs {
  /** Address of the service without `/v1`. */
  readonly origin: string
  readonly request: WarmRequest
  /** Requests in flight. */
  readonly inFlight: number
}

/** Requests before the clock starts: code compiles, and connections open. */
const WARM_UP = 4000

/** Requests that are measured in a row, and rows of each process. */
const ROW = 500
const ROWS = 6

/** Body of the `speech` request. */
const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Good morning, everybody.', voice_id: 'rms' }

/** The headers of our client. */
const HEADERS = { accept: 'application/json', authorization: 'Bearer bench', 'user-agent': 'svc-audio-core' }

/** Clients on open connections. They return microseconds of CPU a request: the median of the rows. */
export const contestants = {
  /** Our client, as in its documentation. */
  ours: async () => {
    const { AudioClient } = await import('@svc-audio/core')
    return timed((origin) => {
      const client = new AudioClient({ apiKey: 'bench', baseUrl: origin })
      return {
        models: async () => (await client.models.list()).object,
        speech: async () => (await client.speech.createUrl(SPEECH)).object,
      }
    })
  },
  /** By hand: one call of `request` and parsed JSON. */
  limit: async () => {
    const { request: send } = await import('undici')
    return timed((origin) => ({
      models: async () => objectOf(await send(`${origin}/v1/models`, { headers: HEADERS })),
      speech: async () =>
        objectOf(
          await send(`${origin}/v1/audio/speech`, {
            method: 'POST',
            headers: { ...HEADERS, 'content-type': 'application/json' },
            body: JSON.stringify({ ...SPEECH, delivery_method: 'url' }),
          }),
        ),
    }))
  },
  /** openai's client, as in its documentation. */
  openai: async () => {
    const { default: OpenAI } = await import('openai')
    return timed((origin) => {
      const client = new OpenAI({ apiKey: 'bench', baseURL: `${origin}/v1`, maxRetries: 0 })
      // The name of the list's `object` in openai's page type.
      return { models: async () => ((await client.models.list()) as unknown as { object: string }).object }
    })
  },
} satisfies Readonly<Record<string, Contestant<WarmArgs, number>>>

async function objectOf({ body }: Awaited<ReturnType<typeof request>>): Promise<string> {
  // The service of the benchmark answers this.
  return ((await body.json()) as { object: string }).object
}

/** @param prepare Prepares the shared parts of all requests. Each request resolves with the result's `object`. */
function timed(
  prepare: (origin: string) => Readonly<Partial<Record<WarmRequest, () => Promise<string>>>>,
): (args: WarmArgs) => Promise<number> {
  return async ({ origin, request: kind, inFlight }) => {
    const send = prepare(origin)[kind]
    if (send === undefined) throw new Error(`A client has no request "${kind}"`)
    const expected = kind === 'models' ? 'list' : 'audio.speech'
    const sendAll = (count: number): Promise<void> =>
      repeat(count, inFlight, async () => {
        const object = await send()
        if (object !== expected) throw new Error(`A client got ${object}`)
      })
    await sendAll(WARM_UP)
    const microseconds: number[] = []
    for (let row = 0; row < ROWS; row += 1) {
      const before = process.cpuUsage()
      await sendAll(ROW)
      microseconds.push((ownCpuSeconds(before) * 1e6) / ROW)
    }
    return median(microseconds)
  }
}
