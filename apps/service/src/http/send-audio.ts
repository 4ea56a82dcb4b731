import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Sends audio as it is made. Waits for the first bytes, so that an earlier failure still gets an error status. */
export async function sendAudio(
  reply: FastifyReply,
  audio: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<FastifyReply> {
  const stream = Readable.from(await started(audio), { objectMode: false })
  return reply.header('content-type', contentType).send(stream)
}

/** An iterable with a first chunk that was read in advance. */
async function started(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = source[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array> | undefined = await iterator.next()
  // Not a generator: a generator that is cancelled before its first read would not cancel the audio.
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
