import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { answerAudio } from '../http/answer-audio.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { holdKey, idempotencyOf } from '../http/idempotency.ts'
import type { Services } from '../services.ts'
import { acceptVoiceGeneration } from '../use-cases/tasks/accept-task.ts'
import { answerOnce } from '../use-cases/idempotency/replay.ts'
import { generateVoice } from '../use-cases/voices/voice-generation.ts'
import { checkVoiceGeneration, VoiceGenerationBody } from '../use-cases/voices/voice-generation-rules.ts'

/** `POST /v1/audio/voice/generations`. */
export function voiceGenerationRoutes(app: FastifyInstance, services: Services): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .post('/v1/audio/voice/generations', { schema: { body: VoiceGenerationBody } }, async (request, reply) => {
      const { body, tenant } = request
      const idempotency = await idempotencyOf(request, body)
      return answerOnce(services, { object: 'audio.voice_generation', body, tenant, idempotency }, async () => {
        const { delivery, task, ...order } = checkVoiceGeneration(body, services)
        if (task !== undefined) return acceptVoiceGeneration(services, order, { tenant, ...task, idempotency })
        holdKey(reply, services.keysInFlight, { tenant, idempotency })
        const signal = disconnectSignal(reply, services.stopping)
        const make = () => generateVoice(services, order, { tenant, signal })
        const work = { object: 'audio.voice_generation', format: order.format, delivery, make } as const
        return answerAudio(reply, services, work, { tenant, idempotency })
      })
    })
}
