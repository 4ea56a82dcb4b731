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
  const first = await iterator.next()
  return (async function* resumed() {
    try {
      let next = first
      while (next.done !== true) {
        yield next.value
        next = await iterator.next()
      }
    } finally {
      await iterator.return?.()
    }
  })()
}
