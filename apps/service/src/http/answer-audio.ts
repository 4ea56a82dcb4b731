import type { FastifyReply } from 'fastify'
import { contentTypeOf } from '../domain/formats.ts'
import type { Services } from '../services.ts'
import { type AudioWork, makeAudio, storeAudio } from '../use-cases/speech/audio-result.ts'
import type { IdempotencyContext } from '../ports/idempotency.ts'
import { sendAudio } from './send-audio.ts'

/** Answers with audio, or with its URL (interface: `delivery_method`). */
export async function answerAudio(
  reply: FastifyReply,
  services: Services,
  { delivery, ...work }: AudioWork<'audio.speech' | 'audio.voice_generation'> & { readonly delivery: 'audio' | 'url' },
  terms: IdempotencyContext,
): Promise<object> {
  if (delivery === 'url') return storeAudio(services, work, terms)
  return sendAudio(reply, await makeAudio(services, work, terms), contentTypeOf(work.format))
}
