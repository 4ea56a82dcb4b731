import { request } from 'undici'
import { SPEECH, type WarmClient } from './warm-args.ts'

/** The headers of our client. */
const HEADERS = { accept: 'application/json', authorization: 'Bearer bench', 'user-agent': 'svc-audio-core' }

/** By hand: one call of `request` and parsed JSON. */
export const prepare: WarmClient['prepare'] = (origin) => ({
  models: async () => objectOf(await request(`${origin}/v1/models`, { headers: HEADERS })),
  speech: async () =>
    objectOf(
      await request(`${origin}/v1/audio/speech`, {
        method: 'POST',
        headers: { ...HEADERS, 'content-type': 'application/json' },
        body: JSON.stringify({ ...SPEECH, delivery_method: 'url' }),
      }),
    ),
})

async function objectOf({ body }: Awaited<ReturnType<typeof request>>): Promise<string> {
  // The service of the benchmark answers this.
  return ((await body.json()) as { object: string }).object
}
