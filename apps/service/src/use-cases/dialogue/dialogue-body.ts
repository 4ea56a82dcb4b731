import { z } from 'zod'
import { SpeechBody, TaskFields } from '../speech/speech-body.ts'

/**
 * Body of `POST /v1/audio/speech/speakers`: the types only. The rules check required and related fields, and their
 * errors name the line. Unknown fields are stored for the rules.
 */
export const DialogueBody = SpeechBody.pick({
  model: true,
  response_format: true,
  delivery_method: true,
  async: true,
  webhook_url: true,
  aigc_metadata: true,
}).extend({
  speakers: z.array(z.looseObject({ id: z.string().optional(), voice_id: z.string().optional() })),
  segments: z.array(z.looseObject({ speaker: z.string().optional(), text: z.string().optional() })),
})

/** A parsed {@link DialogueBody}. */
export type DialogueBody = z.infer<typeof DialogueBody>

/** The body in the OpenAPI document, with the required fields of the rules. */
export const DocumentedDialogueBody = TaskFields.extend({
  speakers: z.array(z.object({ id: z.string(), voice_id: z.string() })).min(1),
  segments: z.array(z.object({ speaker: z.string(), text: z.string() })).min(1),
  aigc_metadata: SpeechBody.shape.aigc_metadata,
})
