import { httpUrl } from './values.ts'
import { hasPauses, pauseOutOfRange } from '@svc-audio/text/sentences'
import { isKnownModel } from '../wire/models.ts'
import { isPrivateHost } from './private-host.ts'
import {
  check,
  type Fault,
  flag,
  oneOf,
  optional,
  optionalText,
  refused,
  type Rule,
  type Rules,
  text,
} from './rules.ts'

/** The model that streams, and that knows pause markers (interface: `POST /v1/audio/speech`). */
export const STREAMING_MODEL = 'svc-tts-1.5-flash'

/** Other ways to name a voice (interface: `voice_id`, "a voice id only"). */
export const OTHER_VOICES: Rules = Object.fromEntries(
  ['voice_url', 'voice_data', 'file_id'].map((field) => [field, refused('is not accepted: use voice_id', field)]),
)

/** How a call is answered: at once, or by a task. */
export type Outcome = 'answer' | 'task'

/** A webhook is called over HTTPS (interface: `webhook_url`); plain HTTP is accepted for a private host only. */
const webhook = optional((value) => {
  const url = httpUrl(value)
  return url !== undefined && (url.protocol === 'https:' || isPrivateHost(url.hostname))
    ? undefined
    : ['invalid_webhook_url', 'must be an absolute HTTPS URL']
})

/** The fields that choose how a call is answered. Each method has one outcome and sets them itself. */
export function outcomeRules(outcome: Outcome | 'stream', resource: string): Rules {
  if (outcome === 'task') return { async: oneOf([true]), webhook_url: webhook }
  const remedy = refused(`is for tasks only: use ${resource}.createTask()`)
  return { async: remedy, webhook_url: remedy }
}

/** {@link outcomeRules} of an endpoint that makes audio. */
export function audioRules(outcome: Outcome, resource: string): Rules {
  return {
    delivery_method: refused(`is set by the method: use ${resource}.create() or ${resource}.createUrl()`),
    ...outcomeRules(outcome, resource),
    response_format: optionalText,
  }
}

/**
 * The model of a request. An unknown id goes to the service, which may spell its own; a known one of another endpoint
 * cannot be meant.
 *
 * @param prefix How the ids of this endpoint's models begin.
 */
export function modelOf(prefix: string): Rule {
  return (value, ...more) => {
    if (isKnownModel(value) && !value.startsWith(prefix)) {
      return ['unsupported_for_model', `${value} does not work here: use ${prefix}*`]
    }
    return text(value, ...more)
  }
}

/** Events and PCM come from one model of each kind alone; a known one that is another does not stream. */
export function streamedBy(model: string, given: unknown): Fault | undefined {
  return given !== model && isKnownModel(given)
    ? ['unsupported_stream', `${given} does not stream: use ${model}`, 'stream']
    : undefined
}

/**
 * Text to speak. Pause markers work in the streaming model alone, from 0.1 to 10.0 seconds (interface: Limits). An
 * unknown model may have markers of its own.
 */
export function spoken(model: unknown): Rule {
  return (value, ...more) => {
    const input = String(value)
    if (!isKnownModel(model) || !hasPauses(input)) return text(value, ...more)
    if (model !== STREAMING_MODEL) {
      return ['unsupported_for_model', `${model} has no pause markers: use ${STREAMING_MODEL}`]
    }
    const marker = pauseOutOfRange(input)
    return marker === undefined ? undefined : ['invalid_range', `${marker} is outside 0.1 to 10.0 seconds`]
  }
}

/** The text to speak beside its model. */
export const input: Rule = (value, fields, field) => spoken(fields['model'])(value, fields, field)

/** The marking of generated audio (interface: `aigc_metadata`). */
export const aigcMetadata: Rule = optional((value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ['invalid_type', 'must be an object']
  check(value, { enabled: flag, content_propagator: optionalText, propagate_id: optionalText })
  return undefined
})
