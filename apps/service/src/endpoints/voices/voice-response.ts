import { z } from 'zod'
import { unixSeconds } from '../../http/openapi/responses.ts'

/** A voice. */
export const VoiceResponse = z.looseObject({
  id: z.string(),
  object: z.literal('audio.voice'),
  name: z.string(),
  created_at: unixSeconds,
})
