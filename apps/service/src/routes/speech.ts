import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { contentTypeOf } from '../domain/formats.ts'
import { answerAudio } from '../http/answer-audio.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { holdKey, idempotencyOf } from '../http/idempotency.ts'
import { sendAudio } from '../http/send-audio.ts'
import { sendEvents } from '../http/send-events.ts'
import { speechFrames } from '../http/speech-frames.ts'
import type { Services } from '../services.ts'
import { acceptSpeech } from '../use-cases/tasks/accept-task.ts'
import { answerOnce } from '../use-cases/idempotency/replay.ts'
import { speak } from '../use-cases/speech/speak.ts'
import { SpeechBody } from '../use-cases/speech/speech-body.ts'
import { checkSpeech, checkStream } from '../use-cases/speech/speech-rules.ts'
import { type StreamedSpeech, streamSpeech } from '../use-cases/speech/stream-speech.ts'
import { speakableVoices } from '../use-cases/voices/voices.ts'

/** `POST /v1/audio/speech`. */
export function speechRoutes(app: FastifyInstance, services: Services): void {
  const { maxInputCharacters, webhooks } = services
  app
    .withTypeProvider<ZodTypeProvider>()
    .post('/v1/audio/speech', { schema: { body: SpeechBody } }, async (request, reply) => {
      const { body, tenant } = request
      const idempotency = await idempotencyOf(request, body)
      return answerOnce(services, { object: 'audio.speech', body, tenant, idempotency }, async () => {
        const voices = await speakableVoices(services, tenant, [body.voice_id])
        const limits = { voices, maxInputCharacters, webhooks }
        const signal = disconnectSignal(reply, services.stopping)
        if (body.stream === true) {
          const order = checkStream(body, limits)
          holdKey(reply, services.keysInFlight, { tenant, idempotency })
          const speech = await streamSpeech(services, order, { tenant, signal, idempotency })
          return order.events ? sendEvents(reply, speechFrames(speech, order.model)) : sendPcm(reply, speech)
        }
        const { delivery, task, ...order } = checkSpeech(body, limits)
        if (task !== undefined) return acceptSpeech(services, order, { tenant, ...task, idempotency })
        holdKey(reply, services.keysInFlight, { tenant, idempotency })
        const make = (id: string) => speak(services, order, { id, tenant, signal })
        const work = { object: 'audio.speech', format: order.format, delivery, make } as const
        return answerAudio(reply, services, work, { tenant, idempotency })
      })
    })
}

/** Raw PCM: its format is in the headers; a failure in mid-stream only closes the connection (interface: Events). */
async function sendPcm(reply: FastifyReply, speech: StreamedSpeech): Promise<FastifyReply> {
  const { sampleRate, channels, bitDepth } = speech.format
  reply.header('x-sample-rate', sampleRate).header('x-channels', channels).header('x-bit-depth', bitDepth)
  return sendAudio(reply, speech.chunks, contentTypeOf('pcm'))
}
