import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { contentTypeOf } from '../domain/formats.ts'
import { newId } from '../domain/ids.ts'
import { toServiceError } from '../domain/to-service-error.ts'
import { goneSignal } from '../http/gone-signal.ts'
import { idempotencyOf } from '../http/idempotency.ts'
import { sendAudio } from '../http/send-audio.ts'
import { eventFrame, sendEvents } from '../http/send-events.ts'
import type { Services } from '../services.ts'
import { acceptSpeech } from '../use-cases/accept-task.ts'
import { speak, speakToUrl } from '../use-cases/speak.ts'
import { SpeechBody } from '../use-cases/speech-body.ts'
import { checkSpeech, checkStream } from '../use-cases/speech-rules.ts'
import { type StreamedSpeech, streamSpeech } from '../use-cases/stream-speech.ts'
import { speakableVoices } from '../use-cases/voices.ts'

/** `POST /v1/audio/speech`. */
export function speechRoutes(app: FastifyInstance, services: Services): void {
  const { maxInputCharacters, webhooks } = services
  app
    .withTypeProvider<ZodTypeProvider>()
    .post('/v1/audio/speech', { schema: { body: SpeechBody } }, async (request, reply) => {
      const { body, tenant } = request
      const voices = await speakableVoices(services, tenant, [body.voice_id])
      const limits = { voices, maxInputCharacters, webhooks }
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
