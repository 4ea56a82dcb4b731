import { hasPauses } from '@svc-audio/core/interface'
import { z } from 'zod'
import { type AudioFormat, requireFormat } from '../../domain/formats.ts'
import { requireModel } from '../../domain/models.ts'
import { invalid } from '../../domain/service-error.ts'
import type { WebhookPolicy } from '../../domain/webhook-policy.ts'
import { SpeechBody, TaskFields } from '../speech/speech-body.ts'
import { requireDelivery } from '../speech/speech-rules.ts'
import { checkTask, type TaskWish } from '../tasks/task-rules.ts'

/** Longest `instruction`, in characters. */
const MAX_INSTRUCTION_CHARACTERS = 2000

/** Body of `POST /v1/audio/voice/generations`: the types only. */
export const VoiceGenerationBody = SpeechBody.pick({
  model: true,
  input: true,
  response_format: true,
  delivery_method: true,
  async: true,
  webhook_url: true,
}).extend({ instruction: z.string().optional() })

/** A parsed {@link VoiceGenerationBody}. */
export type VoiceGenerationBody = z.infer<typeof VoiceGenerationBody>

/** The body in the OpenAPI document, with the required fields of the rules. */
export const DocumentedVoiceGenerationBody = TaskFields.extend({ input: z.string(), instruction: z.string() })

/** A checked request for speech in a described voice. */
export interface VoiceGenerationOrder {
  readonly model: string
  readonly text: string
  readonly instruction: string
  readonly format: AudioFormat
  readonly delivery: 'audio' | 'url'
  /** Present if the answer is a task. */
  readonly task: TaskWish | undefined
}

/**
 * Checks the body of `POST /v1/audio/voice/generations` (interface: generate voice).
 * @throws ServiceError naming code and field
 */
export function checkVoiceGeneration(
  body: VoiceGenerationBody,
  { maxInputCharacters, webhooks }: { readonly maxInputCharacters: number; readonly webhooks: WebhookPolicy },
): VoiceGenerationOrder {
  requireModel(body.model, 'voice generation')
  const task = checkTask(body, webhooks)
  const text = requireText(body.input, 'input', maxInputCharacters)
  if (hasPauses(text)) throw invalid('unsupported_for_model', 'input', `${body.model} does not support pause markers`)
  return {
    model: body.model,
    text,
    instruction: requireText(body.instruction, 'instruction', MAX_INSTRUCTION_CHARACTERS),
    format: requireFormat(body.response_format),
    delivery: requireDelivery(body.delivery_method),
    task,
  }
}

function requireText(text: string | undefined, field: string, maxCharacters: number): string {
  if (text === undefined || text.trim() === '') {
    throw invalid('missing_required_field', field, `${field} is required and must not be empty`)
  }
  if (text.length > maxCharacters) {
    throw invalid('input_too_long', field, `${field} must have at most ${maxCharacters} characters, got ${text.length}`)
  }
  return text
}
