import OpenAI from 'openai'
import type { WarmClient } from './warm-args.ts'

/** openai's client, as in its documentation. */
export const prepare: WarmClient['prepare'] = (origin) => {
  const client = new OpenAI({ apiKey: 'bench', baseURL: `${origin}/v1`, maxRetries: 0 })
  // The name of the list's `object` in openai's page type.
  return { models: async () => ((await client.models.list()) as unknown as { object: string }).object }
}
