import { z } from 'zod'

/** What a request says of the marking (interface: `aigc_metadata`). */
export const AigcMetadata = z.object({
  enabled: z.boolean().optional(),
  content_propagator: z.string().max(200).optional(),
  propagate_id: z.string().max(200).optional(),
})

/**
 * Body of `POST /v1/audio/speech`, streaming or not: the types only. Which fields go together depends on `stream` and is
 * checked by the rules, so that each gets the error the interface names. Unknown fields are stored for them to see.
 */
export const SpeechBody = z.looseObject({
  model: z.string(),
  input: z.string().optional(),
  voice_id: z.string().optional(),
  response_format: z.string().optional(),
  delivery_method: z.string().optional(),
  async: z.boolean().optional(),
  webhook_url: z.string().optional(),
  aigc_metadata: AigcMetadata.optional(),
  language: z.string().optional(),
  speed: z.number().optional(),
  expected_duration_sec: z.number().optional(),
  stream: z.boolean().optional(),
  stream_format: z.string().optional(),
  sample_rate: z.number().optional(),
})

/** A parsed {@link SpeechBody}. */
export type SpeechBody = z.infer<typeof SpeechBody>

/** The fields that every request for audio has which can be a task. */
export const TaskFields = SpeechBody.pick({
  model: true,
  response_format: true,
  delivery_method: true,
  async: true,
  webhook_url: true,
})
