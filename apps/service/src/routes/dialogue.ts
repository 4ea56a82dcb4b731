import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { answerAudio } from '../http/answer-audio.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { holdKey, idempotencyOf } from '../http/idempotency.ts'
import type { Services } from '../services.ts'
import { acceptDialogue } from '../use-cases/tasks/accept-task.ts'
import { DialogueBody } from '../use-cases/dialogue/dialogue-body.ts'
import { checkDialogue } from '../use-cases/dialogue/dialogue-rules.ts'
import { speakDialogue } from '../use-cases/dialogue/dialogue.ts'
import { answerOnce } from '../use-cases/idempotency/replay.ts'
import { speakableVoices } from '../use-cases/voices/voices.ts'

/** The longest text can come in very short lines, each with its speaker. */
const BYTES_A_CHARACTER = 64
const REST_BYTES = 64 * 1024

/** `POST /v1/audio/speech/speakers`. */
export function dialogueRoutes(app: FastifyInstance, services: Services): void {
  const { maxInputCharacters, webhooks } = services
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(
      '/v1/audio/speech/speakers',
      { schema: { body: DialogueBody }, bodyLimit: services.maxInputCharacters * BYTES_A_CHARACTER + REST_BYTES },
      async (request, reply) => {
        const { body, tenant } = request
        const signal = disconnectSignal(reply, services.stopping)
        const idempotency = await idempotencyOf(request, body)
        return answerOnce(services, { object: 'audio.speech', body, tenant, idempotency }, async () => {
          const ids = body.speakers.map((speaker) => speaker.voice_id)
          const voices = await speakableVoices(services, tenant, ids)
          const { delivery, task, ...order } = checkDialogue(body, { voices, maxInputCharacters, webhooks })
          if (task !== undefined) return acceptDialogue(services, order, { tenant, ...task, idempotency })
          holdKey(reply, services.keysInFlight, { tenant, idempotency })
          const make = (id: string) => speakDialogue(services, order, { id, tenant, signal })
          const work = { object: 'audio.speech', format: order.format, delivery, make } as const
          return answerAudio(reply, services, work, { tenant, idempotency })
        })
      },
    )
}
