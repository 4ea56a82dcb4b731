import type { Contestant } from '../harness/processes.ts'

/** Arguments of a client that holds streams open. */
export interface StreamArgs {
  /** Address of the service without `/v1`. */
  readonly origin: string
  /** Streams open at once. */
  readonly streams: number
}

/** Streams that begin at once. More would only fill the backlog of the listener. */
const AT_ONCE = 250

/** Clients that hold streams of speech open. They return bytes of memory for each stream. */
export const contestants = {
  ours: async () => {
    const { AudioClient, createSemaphore } = await import('@svc-audio/core')
    return async (args) => {
      const semaphore = createSemaphore(2 * args.streams)
      const client = new AudioClient({ apiKey: 'bench', baseUrl: args.origin, semaphore })
      const bytes = await holdStreams(args, () => client.speech.stream({ model: 'svc-tts-1.5-flash', input: 'Hello' }))
      await client.close()
      return bytes
    }
  },
  /** By hand, without events and checks. */
  limit: async () => {
    const { Agent, request } = await import('undici')
    return async (args) => {
      const body = JSON.stringify({ model: 'svc-tts-1.5-flash', input: 'Hello', stream: true })
      const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' }
      const dispatcher = new Agent()
      const url = `${args.origin}/v1/audio/speech`
      const bytes = await holdStreams(
        args,
        async () => (await request(url, { method: 'POST', headers, body, dispatcher })).body,
      )
      await dispatcher.destroy()
      return bytes
    }
  },
} satisfies Readonly<Record<string, Contestant<StreamArgs, number>>>

/** Opens streams, reads the first chunk of each and holds them. @returns bytes of memory for each stream */
async function holdStreams({ streams }: StreamArgs, open: () => Promise<AsyncIterable<unknown>>): Promise<number> {
  const begin = async (): Promise<unknown> => {
    const chunks = (await open())[Symbol.asyncIterator]()
    await chunks.next()
    return chunks
  }
  // The first stream loads the code.
  const held: unknown[] = [await begin()]
  const before = process.memoryUsage().rss
  while (held.length <= streams) held.push(...(await Promise.all(Array.from({ length: AT_ONCE }, begin))))
  return (process.memoryUsage().rss - before) / (held.length - 1)
}
