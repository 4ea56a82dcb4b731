import { createReadStream } from 'node:fs'
import OpenAI from 'openai'
import type { UploadArgs } from './client-args.ts'

/** openai's client, as in its documentation. */
export async function run({ origin, path }: UploadArgs): Promise<string> {
  const client = new OpenAI({ apiKey: 'bench', baseURL: `${origin}/v1`, maxRetries: 0 })
  const { text } = await client.audio.transcriptions.create({ model: 'x', file: createReadStream(path) })
  return text
}
