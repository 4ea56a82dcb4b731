import { AudioClient } from '@svc-audio/core'
import type { UploadArgs } from './client-args.ts'

// The transport loads undici with its first request. Loading it here excludes it from the cost of sending, like the
// peers' libraries.
await import('undici')

/** Our client, as in its documentation. */
export async function run({ origin, path }: UploadArgs): Promise<string> {
  // The interface's limit is 512 MB. Twice the size shows whether memory grows with the file.
  const client = new AudioClient({ apiKey: 'bench', baseUrl: origin, maxUploadBytes: 2 * 1024 ** 3 })
  const { text } = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file: path })
  await client.close()
  return text
}
