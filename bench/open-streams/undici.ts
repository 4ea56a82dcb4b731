import { Agent, request } from 'undici'
import { holdStreams, type StreamArgs } from './stream-args.ts'

/** By hand, without events and checks. @returns bytes of memory for each stream */
export async function run(args: StreamArgs): Promise<number> {
  const body = JSON.stringify({ model: 'svc-tts-1.5-flash', input: 'Hello', stream: true })
  const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' }
  const dispatcher = new Agent()
  const bytes = await holdStreams(args, async () => {
    const response = await request(`${args.origin}/v1/audio/speech`, {
      method: 'POST',
      headers,
      body,
      dispatcher,
    })
    const chunks = response.body[Symbol.asyncIterator]()
    await chunks.next()
    return chunks
  })
  await dispatcher.destroy()
  return bytes
}
