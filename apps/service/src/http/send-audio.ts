import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { streamOver } from '@svc-audio/engine-ports/driver'

/** Sends audio as it is made. Waits for the first bytes, so that an earlier failure still gets an error status. */
export async function sendAudio(
  reply: FastifyReply,
  audio: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<FastifyReply> {
  const stream = Readable.from(await started(audio), { objectMode: false })
  return reply.header('content-type', contentType).send(stream)
}

/** Waits for the first chunk of audio. @returns The audio with that chunk */
export async function started(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks = source[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array, undefined> | undefined = await chunks.next()
  return streamOver(chunks, async () => {
    const result = first ?? (await chunks.next())
    first = undefined
    return result
  })
}
