import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { contentTypeOf } from '../domain/formats.ts'
import { newId } from '../domain/ids.ts'
import { toServiceError } from '../domain/to-service-error.ts'
import { goneSignal } from '../http/gone-signal.ts'
import { idempotencyOf } from '../http/idempotency.ts'
import { eventFrame, sendEvents } from '../http/send-events.ts'
import type { Services } from '../services.ts'
import { acceptSpeech } from '../use-cases/accept-task.ts'
import { speak, speakToUrl } from '../use-cases/speak.ts'
import { SpeechBody } from '../use-cases/speech-body.ts'
import { checkSpeech, checkStream } from '../use-cases/speech-rules.ts'
import { type StreamedSpeech, streamSpeech } from '../use-cases/stream-speech.ts'

/** Largest JSON body: the longest input, each character escaped, and room for the rest. */
const BODY_BYTES = 2 * 1024 * 1024

/** `POST /v1/audio/speech`. */
export function speechRoutes(app: FastifyInstance, services: Services): void {
  const { maxInputCharacters, webhooks } = services
  const limits = { voices: services.speech.voices, maxInputCharacters, webhooks }
  app
    .withTypeProvider<ZodTypeProvider>()
    .post('/v1/audio/speech', { schema: { body: SpeechBody }, bodyLimit: BODY_BYTES }, async (request, reply) => {
      const { body, tenant } = request
      if (body.stream === true) {
        const order = checkStream(body, limits)
        const signal = goneSignal(reply, services.stopping)
        const speech = await streamSpeech(services, tenant, order, signal)
        return order.events ? sendEvents(reply, eventFrames(speech, order.model)) : sendPcm(reply, speech)
      }
      const order = checkSpeech(body, limits)
      if (order.task !== undefined) {
        const terms = { tenant, ...order.task, idempotency: await idempotencyOf(request, body) }
        return acceptSpeech(services, order, terms)
      }
      const options = { tenant, signal: goneSignal(reply, services.stopping) }
      if (order.delivery === 'url') return speakToUrl(services, order, options)
      const audio = await speak(services, order, { ...options, id: newId('speech') })
      return sendAudio(reply, audio, contentTypeOf(order.format))
    })
}

/** Sends audio as it is made. Its first bytes are awaited, so that a failure until then is still a proper error. */
async function sendAudio(
  reply: FastifyReply,
  audio: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<FastifyReply> {
  const stream = Readable.from(await started(audio), { objectMode: false })
  return reply.header('content-type', contentType).send(stream)
}

/** Raw PCM: its format is in the headers; a failure in mid-stream only closes the connection (interface: Events). */
async function sendPcm(reply: FastifyReply, speech: StreamedSpeech): Promise<FastifyReply> {
  const { sampleRate, channels, bitDepth } = speech.format
  reply.header('x-sample-rate', sampleRate).header('x-channels', channels).header('x-bit-depth', bitDepth)
  return sendAudio(reply, speech.chunks, contentTypeOf('pcm'))
}

async function* eventFrames(speech: StreamedSpeech, model: string): AsyncGenerator<string, void, undefined> {
  const { sampleRate, channels, bitDepth } = speech.format
  yield (
    eventFrame({ type: 'task.created', task_id: speech.taskId, object: 'audio.speech', status: 'PROCESSING', model }) +
      eventFrame({ type: 'speech.created', format: 'pcm', sample_rate: sampleRate, channels, bit_depth: bitDepth })
  )
  try {
    for await (const chunk of speech.chunks) {
      const audio = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64')
      yield eventFrame({ type: 'speech.audio.delta', audio })
    }
  } catch (error) {
    const { code, message } = toServiceError(error)
    yield eventFrame({ type: 'error', error: { code, message } })
    return
  }
  yield eventFrame({ type: 'speech.audio.done' })
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
