import { AudioClient, createSemaphore } from '@svc-audio/core'
import { holdStreams, type StreamArgs } from './stream-args.ts'

/** Our client. @returns bytes of memory for each stream */
export async function run(args: StreamArgs): Promise<number> {
  const semaphore = createSemaphore(2 * args.streams)
  const client = new AudioClient({ apiKey: 'bench', baseUrl: args.origin, semaphore })
  const bytes = await holdStreams(args, async () => {
    const stream = await client.speech.stream({ model: 'svc-tts-1.5-flash', input: 'Hello' })
    const chunks = stream[Symbol.asyncIterator]()
    await chunks.next()
    return chunks
  })
  await client.close()
  return bytes
}
