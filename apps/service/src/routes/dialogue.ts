import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { contentTypeOf } from '../domain/formats.ts'
import { newId } from '../domain/ids.ts'
import { goneSignal } from '../http/gone-signal.ts'
import { sendAudio } from '../http/send-audio.ts'
import type { Services } from '../services.ts'
import { DialogueBody } from '../use-cases/dialogue-body.ts'
import { checkDialogue } from '../use-cases/dialogue-rules.ts'
import { speakDialogue, speakDialogueToUrl } from '../use-cases/dialogue.ts'
import { speakableVoices } from '../use-cases/voices.ts'

/** The longest text can come in very short lines, each with its speaker. */
const BYTES_A_CHARACTER = 64
const REST_BYTES = 64 * 1024

/** `POST /v1/audio/speech/speakers`. */
export function dialogueRoutes(app: FastifyInstance, services: Services): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(
      '/v1/audio/speech/speakers',
      { schema: { body: DialogueBody }, bodyLimit: services.maxInputCharacters * BYTES_A_CHARACTER + REST_BYTES },
      async ({ body, tenant }, reply) => {
        const signal = goneSignal(reply, services.stopping)
        const ids = body.speakers.map((speaker) => speaker.voice_id)
        const voices = await speakableVoices(services, tenant, ids)
        const order = checkDialogue(body, { voices, maxInputCharacters: services.maxInputCharacters })
        if (order.delivery === 'url') return speakDialogueToUrl(services, order, { tenant, signal })
        const audio = await speakDialogue(services, order, { id: newId('speech'), tenant, signal })
        return sendAudio(reply, audio, contentTypeOf(order.format))
      },
    )
}
