import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { contentTypeOf } from '../domain/formats.ts'
import { goneSignal } from '../http/gone-signal.ts'
import { sendAudio } from '../http/send-audio.ts'
import type { Services } from '../services.ts'
import { generateVoice, generateVoiceToUrl } from '../use-cases/voice-generation.ts'
import { checkVoiceGeneration, VoiceGenerationBody } from '../use-cases/voice-generation-rules.ts'

/** `POST /v1/audio/voice/generations`. */
export function voiceGenerationRoutes(app: FastifyInstance, services: Services): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .post('/v1/audio/voice/generations', { schema: { body: VoiceGenerationBody } }, async ({ body, tenant }, reply) => {
      const order = checkVoiceGeneration(body, services)
      const options = { tenant, signal: goneSignal(reply, services.stopping) }
      if (order.delivery === 'url') return generateVoiceToUrl(services, order, options)
      return sendAudio(reply, await generateVoice(services, order, options), contentTypeOf(order.format))
    })
}
