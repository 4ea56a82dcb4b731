import { hasPauses, pauseOutOfRange } from '@svc-audio/text/sentences'
import { isKnownModel, SPEED_MAX, SPEED_MIN } from '../wire/index.ts'
import {
  check,
  flag,
  items,
  modelOf,
  oneOf,
  optional,
  optionalText,
  type Outcome,
  outcomeRules,
  refused,
  type Rule,
  type Rules,
  streamedBy,
  text,
} from './rules.ts'

/** The model for streams and pause markers (interface: `POST /v1/audio/speech`). */
const STREAMING_MODEL = 'svc-tts-1.5-flash'

/** Other ways to name a voice (interface: `voice_id`, "a voice id only"). */
const OTHER_VOICES: Rules = Object.fromEntries(
  ['voice_url', 'voice_data', 'file_id'].map((field) => [field, refused('is not accepted: use voice_id', field)]),
)

/**
 * Text to speak. Pause markers work only in the streaming model, from 0.1 to 10.0 seconds (interface: Limits). An
 * unknown model may have its own markers.
 */
function spoken(model: unknown): Rule {
  return (value, ...more) => {
    const content = String(value)
    if (!isKnownModel(model) || !hasPauses(content)) return text(value, ...more)
    if (model !== STREAMING_MODEL) {
      return ['unsupported_for_model', `${model} has no pause markers: use ${STREAMING_MODEL}`]
    }
    const marker = pauseOutOfRange(content)
    return marker === undefined ? undefined : ['invalid_range', `${marker} is outside 0.1 to 10.0 seconds`]
  }
}

/** Text to speak, for the model in the same body. */
const input: Rule = (value, fields, field) => spoken(fields['model'])(value, fields, field)

/** The marking of generated audio (interface: `aigc_metadata`). */
const aigcMetadata: Rule = optional((value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ['invalid_type', 'must be an object']
  check(value, { enabled: flag, content_propagator: optionalText, propagate_id: optionalText })
  return undefined
})

/** The rules of an endpoint that makes a file, by outcome. Made once: short requests come in great numbers. */
function fileRules(rulesOf: (shared: (resource: string) => Rules) => Rules): Readonly<Record<Outcome, Rules>> {
  const rulesFor = (outcome: Outcome): Rules =>
    rulesOf((resource) => ({
      delivery_method: refused(`is set by the method: use ${resource}.create() or ${resource}.createUrl()`),
      ...outcomeRules(outcome, resource),
      response_format: optionalText,
    }))
  const answer = rulesFor('answer')
  return { answer, task: rulesFor('task'), stream: answer }
}

const streamOnly = refused('is for streams only: use speech.stream()')

const SPEECH = fileRules((shared) => ({
  model: modelOf('svc-tts-'),
  ...OTHER_VOICES,
  stream: streamOnly,
  speed: streamOnly,
  language: streamOnly,
  expected_duration_sec: streamOnly,
  ...shared('speech'),
  input,
  voice_id: text,
  aigc_metadata: aigcMetadata,
}))

/** The ids of the speakers are known only with a body, so their rules are made with it. */
const DIALOGUE = fileRules((shared) => ({ model: modelOf('svc-ttsd-'), ...shared('dialogue') }))

const VOICE_GENERATION = fileRules((shared) => ({
  model: modelOf('svc-voice-generator-'),
  ...shared('voiceGenerations'),
  input,
  instruction: text,
}))

const STREAM_RULES: Rules = {
  model: text,
  ...OTHER_VOICES,
  delivery_method: refused('cannot be combined with a stream: leave it out'),
  async: unset('unsupported_with_async', 'cannot be combined with async: leave it out', 'stream'),
  webhook_url: unset('unsupported_with_webhook', 'cannot be combined with webhook_url: leave it out', 'stream'),
  sample_rate: unset('unsupported_for_stream', 'is set by the service: use stream.format'),
  input,
  voice_id: optionalText,
  language: optionalText,
  stream: oneOf([true]),
  response_format: oneOf(['pcm'], 'unsupported_response_format'),
  stream_format: (value, { model }) =>
    value === undefined || value === 'audio' || value === 'sse'
      ? streamedBy(STREAMING_MODEL, model)
      : ['unsupported_stream', 'stream_format must be "audio" or "sse"', 'stream'],
  speed: number((speed) => speed >= SPEED_MIN && speed <= SPEED_MAX, `must be from ${SPEED_MIN} to ${SPEED_MAX}`),
  expected_duration_sec: number((seconds) => seconds > 0 && seconds < Infinity, 'must be greater than 0'),
  aigc_metadata: aigcMetadata,
}

/** Code and field of the error follow the table of the interface, which blames some combinations on `stream`. */
function unset(code: string, remedy: string, param?: string): Rule {
  // As in the table, `false`, zero and empty values count as absent.
  return (value) => (value || value === null ? [code, remedy, param] : undefined)
}

function number(fits: (value: number) => boolean, remedy: string): Rule {
  return optional((value) => {
    if (typeof value !== 'number') return ['invalid_type', 'must be a number']
    return fits(value) ? undefined : ['invalid_range', remedy]
  })
}

/**
 * The rules of `POST /v1/audio/speech` without `stream`.
 * @throws InvalidRequestError naming the field
 */
export function checkSpeech(body: object, outcome: Outcome): void {
  check(body, SPEECH[outcome])
}

/**
 * The rules of `POST /v1/audio/speech` with `stream: true`.
 * @throws InvalidRequestError with the code of the interface's table of streaming errors
 */
export function checkSpeechStream(body: object): void {
  check(body, STREAM_RULES)
}

/**
 * The rules of `POST /v1/audio/speech/speakers`.
 * @throws InvalidRequestError naming the field, e.g. `segments[2].speaker`
 */
export function checkDialogue(body: object, outcome: Outcome): void {
  const ids = new Set<unknown>()
  const newId: Rule = (id, ...more) => {
    if (ids.has(id)) return ['duplicate_speaker', `${String(id)} came twice`]
    ids.add(id)
    return text(id, ...more)
  }
  const knownId: Rule = (id, ...more) =>
    text(id, ...more) ?? (ids.has(id) ? undefined : ['unknown_speaker', `${String(id)} is no speakers[].id`])
  check(body, {
    ...DIALOGUE[outcome],
    speakers: items({ ...OTHER_VOICES, id: newId, voice_id: text }),
    segments: items({ speaker: knownId, text: spoken(Reflect.get(body, 'model')) }),
    aigc_metadata: aigcMetadata,
  })
}

/**
 * The rules of `POST /v1/audio/voice/generations`.
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceGeneration(body: object, outcome: Outcome): void {
  check(body, VOICE_GENERATION[outcome])
}
