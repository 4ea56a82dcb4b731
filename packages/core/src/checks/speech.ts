import { SPEED_MAX, SPEED_MIN } from '../wire/limits.ts'
import {
  aigcMetadata,
  input,
  modelOf,
  OTHER_VOICES,
  type Outcome,
  audioRules,
  streamedBy,
  STREAMING_MODEL,
} from './common.ts'
import { check, oneOf, optional, optionalText, refused, type Rule, type Rules, text } from './rules.ts'

/** Made once: short requests come in great numbers. */
const FILE_RULES: Readonly<Record<Outcome, Rules>> = { answer: fileRules('answer'), task: fileRules('task') }

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

/**
 * The rules of `POST /v1/audio/speech` without `stream`.
 * @throws InvalidRequestError naming the field
 */
export function checkSpeech(body: object, outcome: Outcome): void {
  check(body, FILE_RULES[outcome])
}

/**
 * The rules of `POST /v1/audio/speech` with `stream: true`.
 * @throws InvalidRequestError with the code of the interface's table of streaming errors
 */
export function checkSpeechStream(body: object): void {
  check(body, STREAM_RULES)
}

function fileRules(outcome: Outcome): Rules {
  const streamOnly = refused('is for streams only: use speech.stream()')
  return {
    model: modelOf('svc-tts-'),
    ...OTHER_VOICES,
    stream: streamOnly,
    speed: streamOnly,
    language: streamOnly,
    expected_duration_sec: streamOnly,
    ...audioRules(outcome, 'speech'),
    input,
    voice_id: text,
    aigc_metadata: aigcMetadata,
  }
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
