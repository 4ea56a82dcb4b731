import { z } from 'zod'
import { unixSeconds } from '../../http/openapi/responses.ts'

/** A voice. */
export const VoiceResponse = z.looseObject({
  id: z.string(),
  object: z.literal('audio.voice'),
  name: z.string(),
  created_at: unixSeconds,
  language: z.string().optional().describe('An addition to the interface: language of a built-in voice, as `de`'),
  languages: z.array(z.string()).optional().describe('An addition: all languages of the voice, if it has several'),
  gender: z.enum(['female', 'male', 'neutral']).optional().describe('An addition: how the voice sounds, if known'),
  description: z.string().optional().describe('An addition: a sentence about the voice, if it has one'),
  engine: z.string().optional().describe('An addition: the engine of a built-in voice, if the service has several'),
})
