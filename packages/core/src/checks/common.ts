import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { hasPauses, pauseOutOfRange } from '../text/pauses.ts'
import { isKnownModel } from '../wire/models.ts'
import { optionalText, refuseFields, requireOneOf } from './fields.ts'
import { isPrivateHost } from './private-host.ts'

/** The model that streams, and that knows pause markers (interface: `POST /v1/audio/speech`). */
export const STREAMING_MODEL = 'svc-tts-1.5-flash'

const VOICE_ID_ONLY = 'is not accepted: a voice is named by its voice_id only'

/** Other ways to name a voice (interface: `voice_id`, "a voice id only"). */
export const OTHER_VOICES: Readonly<Record<string, string>> = {
  voice_url: VOICE_ID_ONLY,
  voice_data: VOICE_ID_ONLY,
  file_id: VOICE_ID_ONLY,
}

/** How a call is answered: at once, or by a task. */
export type Outcome = 'answer' | 'task'

/**
 * The fields that choose how a call is answered. Each method has one outcome and sets them itself.
 * @throws InvalidRequestError naming the field
 */
export function checkOutcome(body: object, outcome: Outcome, resource: string): void {
  if (outcome === 'task') {
    requireOneOf(body, 'async', [true])
    checkWebhookUrl(body)
  } else {
    refuseFields(body, {
      async: `is not taken here: use ${resource}.createTask()`,
      webhook_url: `is called for tasks only: use ${resource}.createTask()`,
    })
  }
}

/** A webhook is called over HTTPS (interface: `webhook_url`); plain HTTP reaches a host of one's own network at most. */
function checkWebhookUrl(body: object): void {
  const value: unknown = Reflect.get(body, 'webhook_url')
  if (value === undefined) return
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isPrivateHost(url.hostname))) return
  throw new InvalidRequestError('invalid_webhook_url', 'webhook_url', 'must be an absolute HTTPS URL')
}

/**
 * Pause markers work in the streaming model alone, from 0.1 to 10.0 seconds (interface: Limits). An unknown model may
 * have markers of its own.
 * @throws InvalidRequestError `unsupported_for_model` or `invalid_range`
 */
export function checkPauses(model: string, text: string, field: string): void {
  if (!isKnownModel(model) || !hasPauses(text)) return
  if (model !== STREAMING_MODEL) {
    throw new InvalidRequestError(
      'unsupported_for_model',
      field,
      `${model} has no pause markers: use ${STREAMING_MODEL}`,
    )
  }
  const marker = pauseOutOfRange(text)
  if (marker !== undefined)
    throw new InvalidRequestError('invalid_range', field, `${marker} is outside 0.1 to 10.0 seconds`)
}

/**
 * The marking of generated audio (interface: `aigc_metadata`).
 * @throws InvalidRequestError `invalid_type`
 */
export function checkAigcMetadata(body: object): void {
  const value: unknown = Reflect.get(body, 'aigc_metadata')
  if (value === undefined) return
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRequestError('invalid_type', 'aigc_metadata', 'must be an object')
  }
  requireOneOf(value, 'enabled', [true, false], 'invalid_type')
  optionalText(value, 'content_propagator', 'propagate_id')
}
