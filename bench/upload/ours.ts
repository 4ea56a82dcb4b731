import { AudioClient } from '@svc-audio/core'
import type { UploadArgs } from './client-args.ts'

// The transport loads undici with its first request. Loaded here, it is left out of the cost of sending, as the others'
// libraries are.
await import('undici')

/** Our client, as its documentation says. */
export async function run({ origin, path }: UploadArgs): Promise<string> {
  // The interface's limit is 512 MB; twice that shows whether memory grows with the file.
  const client = new AudioClient({ apiKey: 'bench', baseUrl: origin, maxUploadBytes: 2 * 1024 ** 3 })
  const { text } = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file: path })
  await client.close()
  return text
}
