import OpenAI from 'openai'
import type { WarmClient } from './warm-args.ts'

/** The client of openai, as its documentation says. */
export const prepare: WarmClient['prepare'] = (origin) => {
  const client = new OpenAI({ apiKey: 'bench', baseURL: `${origin}/v1`, maxRetries: 0 })
  // The page's own name for the list's `object`.
  return { models: async () => ((await client.models.list()) as unknown as { object: string }).object }
}
