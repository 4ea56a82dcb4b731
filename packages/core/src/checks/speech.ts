import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { SPEED_MAX, SPEED_MIN } from '../wire/limits.ts'
import { isKnownModel } from '../wire/models.ts'
import { checkAigcMetadata, checkOutcome, checkPauses, OTHER_VOICES, type Outcome, STREAMING_MODEL } from './common.ts'
import { optionalText, refuseFields, requireOneOf, requireText } from './fields.ts'
import { requireModel } from './models.ts'

const STREAM_ONLY = 'works in streaming speech only: use speech.stream()'

/**
 * The rules of `POST /v1/audio/speech` without `stream`.
 * @throws InvalidRequestError naming the field
 */
export function checkSpeech(body: object, outcome: Outcome): void {
  const model = requireModel(body, 'svc-tts-', 'single-speaker speech')
  refuseFields(body, {
    ...OTHER_VOICES,
    stream: 'is set by the method: use speech.stream()',
    delivery_method: 'is set by the method: use speech.create() or speech.createUrl()',
    speed: STREAM_ONLY,
    language: STREAM_ONLY,
    expected_duration_sec: STREAM_ONLY,
  })
  checkOutcome(body, outcome, 'speech')
  checkPauses(model, requireText(body, 'input'), 'input')
  requireText(body, 'voice_id')
  optionalText(body, 'response_format')
  checkAigcMetadata(body)
}

/**
 * The rules of `POST /v1/audio/speech` with `stream: true`.
 * @throws InvalidRequestError with the code of the interface's table of streaming errors
 */
export function checkSpeechStream(body: object): void {
  const model = requireText(body, 'model')
  refuseFields(body, { ...OTHER_VOICES, delivery_method: 'has no effect on a stream and must not be passed' })
  refuseSet(body, 'async', ['unsupported_with_async', 'stream', 'cannot be combined with async: leave async out'])
  refuseSet(body, 'webhook_url', ['unsupported_with_webhook', 'stream', 'calls no webhook: leave webhook_url out'])
  const remedy = 'is chosen by the service: read it from stream.format'
  refuseSet(body, 'sample_rate', ['unsupported_for_stream', 'sample_rate', remedy])
  checkPauses(model, requireText(body, 'input'), 'input')
  optionalText(body, 'voice_id', 'language')
  requireOneOf(body, 'stream', [true])
  requireOneOf(body, 'response_format', ['pcm'], 'unsupported_response_format')
  const streamFormat: unknown = Reflect.get(body, 'stream_format')
  if (streamFormat !== undefined && streamFormat !== 'audio' && streamFormat !== 'sse') {
    throw new InvalidRequestError('unsupported_stream', 'stream', 'stream_format must be "audio" or "sse"')
  }
  if (isKnownModel(model) && model !== STREAMING_MODEL) {
    throw new InvalidRequestError('unsupported_stream', 'stream', `${model} does not stream: use ${STREAMING_MODEL}`)
  }
  const speed = optionalNumber(body, 'speed')
  if (speed !== undefined && !(speed >= SPEED_MIN && speed <= SPEED_MAX)) {
    throw new InvalidRequestError('invalid_range', 'speed', `must be from ${SPEED_MIN} to ${SPEED_MAX}`)
  }
  const duration = optionalNumber(body, 'expected_duration_sec')
  if (duration !== undefined && !(duration > 0 && duration < Infinity)) {
    throw new InvalidRequestError('invalid_range', 'expected_duration_sec', 'must be greater than 0')
  }
  checkAigcMetadata(body)
}

/** Code and field of the error are those of the interface's table, where a combination is blamed on `stream`. */
function refuseSet(body: object, field: string, error: readonly [code: string, param: string, remedy: string]): void {
  const value: unknown = Reflect.get(body, field)
  if (value !== undefined && value !== false && value !== '' && value !== 0) {
    throw new InvalidRequestError(...error)
  }
}

function optionalNumber(body: object, field: string): number | undefined {
  const value: unknown = Reflect.get(body, field)
  if (value === undefined) return undefined
  if (typeof value !== 'number') throw new InvalidRequestError('invalid_type', field, 'must be a number')
  return value
}
