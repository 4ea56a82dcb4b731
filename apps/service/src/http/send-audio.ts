import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Sends audio as it is made. Its first bytes are awaited, so that a failure until then is still a proper error. */
export async function sendAudio(
  reply: FastifyReply,
  audio: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<FastifyReply> {
  const stream = Readable.from(await started(audio), { objectMode: false })
  return reply.header('content-type', contentType).send(stream)
}

/** An iterable whose first chunk has already come. */
async function started(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = source[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array> | undefined = await iterator.next()
  // not a generator: one that is left before its first read leaves nothing in its turn
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = first ?? (await iterator.next())
        first = undefined
        return result
      },
      async return() {
        return (await iterator.return?.()) ?? { done: true, value: undefined }
      },
    }),
  }
}
