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

/** The model for streams and pause markers (interface: `POST /v1/audio/speech`). */
export const STREAMING_MODEL = 'svc-tts-1.5-flash'

/** Other ways to name a voice (interface: `voice_id`, "a voice id only"). */
export const OTHER_VOICES: Rules = Object.fromEntries(
  ['voice_url', 'voice_data', 'file_id'].map((field) => [field, refused('is not accepted: use voice_id', field)]),
)

/** How the service answers a call: at once, or with a task. */
export type Outcome = 'answer' | 'task'

/** A webhook uses HTTPS (interface: `webhook_url`). Plain HTTP is accepted only for a private host. */
const webhook = optional((value) => {
  const url = httpUrl(value)
  return url !== undefined && (url.protocol === 'https:' || isPrivateHost(url.hostname))
    ? undefined
    : ['invalid_webhook_url', 'must be an absolute HTTPS URL']
})

/** Rules of the fields that choose the outcome of a call. Each method has one outcome and sets them. */
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
 * The model of a request. An unknown id passes, since a service may have its own ids. A known id of another endpoint is
 * an error.
 *
 * @param prefix Prefix of the model ids of this endpoint
 */
export function modelOf(prefix: string): Rule {
  return (value, ...more) => {
    if (isKnownModel(value) && !value.startsWith(prefix)) {
      return ['unsupported_for_model', `${value} does not work here: use ${prefix}*`]
    }
    return text(value, ...more)
  }
}

/** Only one model of each kind streams. Another known model is an error. */
export function streamedBy(model: string, given: unknown): Fault | undefined {
  return given !== model && isKnownModel(given)
    ? ['unsupported_stream', `${given} does not stream: use ${model}`, 'stream']
    : undefined
}

/**
 * Text to speak. Pause markers work only in the streaming model, from 0.1 to 10.0 seconds (interface: Limits). An
 * unknown model may have its own markers.
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

/** Text to speak, for the model in the same body. */
export const input: Rule = (value, fields, field) => spoken(fields['model'])(value, fields, field)

/** The marking of generated audio (interface: `aigc_metadata`). */
export const aigcMetadata: Rule = optional((value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ['invalid_type', 'must be an object']
  check(value, { enabled: flag, content_propagator: optionalText, propagate_id: optionalText })
  return undefined
})
