import { z } from 'zod'

/** The marking fields of a request (interface: `aigc_metadata`). */
export const AigcMetadata = z.object({
  enabled: z.boolean().optional(),
  content_propagator: z.string().max(200).optional(),
  propagate_id: z.string().max(200).optional(),
})

/**
 * Body of `POST /v1/audio/speech`, streaming or not: the types only. The permitted combinations of fields depend on
 * `stream`. The rules check them, with the errors that the interface names. Unknown fields are stored for the rules.
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

/** The common fields of requests for audio that can be tasks. */
export const TaskFields = SpeechBody.pick({
  model: true,
  response_format: true,
  delivery_method: true,
  async: true,
  webhook_url: true,
})
