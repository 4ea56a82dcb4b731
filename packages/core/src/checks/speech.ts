import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { hasPauses, pauseOutOfRange } from '../text/pauses.ts'
import { SPEED_MAX, SPEED_MIN } from '../wire/limits.ts'
import { isKnownModel } from '../wire/models.ts'
import { refuseFields, requireOneOf, requireText } from './fields.ts'

const STREAMING_MODEL = 'svc-tts-1.5-flash'

const VOICE_ID_ONLY = 'is not accepted: speech takes a voice_id only'
const NOT_HERE = {
  voice_url: VOICE_ID_ONLY,
  voice_data: VOICE_ID_ONLY,
  file_id: VOICE_ID_ONLY,
  webhook_url: 'is called for asynchronous tasks only: leave it out',
}

/**
 * The rules of `POST /v1/audio/speech` without `stream`.
 * @throws InvalidRequestError naming the field
 */
export function checkSpeech(body: object): void {
  const model = requireText(body, 'model')
  refuseFields(body, {
    ...NOT_HERE,
    stream: 'is set by the method: use speech.stream()',
    async: 'is not taken here: this call waits for the audio',
    delivery_method: 'is set by the method: use speech.create() or speech.createUrl()',
    speed: 'works in streaming speech only: use speech.stream()',
    language: 'works in streaming speech only: use speech.stream()',
    expected_duration_sec: 'works in streaming speech only: use speech.stream()',
  })
  requireSpeechModel(model)
  checkInput(model, requireText(body, 'input'))
  requireText(body, 'voice_id')
}

/**
 * The rules of `POST /v1/audio/speech` with `stream: true`.
 * @throws InvalidRequestError with the code of the interface's table of streaming errors
 */
export function checkSpeechStream(body: object): void {
  const model = requireText(body, 'model')
  refuseFields(body, {
    voice_url: VOICE_ID_ONLY,
    voice_data: VOICE_ID_ONLY,
    file_id: VOICE_ID_ONLY,
    delivery_method: 'has no effect on a stream and must not be passed',
  })
  refuseSet(body, 'async', ['unsupported_with_async', 'stream', 'cannot be combined with async: leave async out'])
  refuseSet(body, 'webhook_url', ['unsupported_with_webhook', 'stream', 'calls no webhook: leave webhook_url out'])
  const remedy = 'is chosen by the service: read it from stream.format'
  refuseSet(body, 'sample_rate', ['unsupported_for_stream', 'sample_rate', remedy])
  checkInput(model, requireText(body, 'input'))
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
}

/** An unknown id goes to the service, which may spell its own; a known one that is no speech model cannot be meant. */
function requireSpeechModel(model: string): void {
  if (isKnownModel(model) && !model.startsWith('svc-tts-')) {
    throw new InvalidRequestError('unsupported_for_model', 'model', `${model} is not a single-speaker speech model`)
  }
}

function checkInput(model: string, input: string): void {
  if (!isKnownModel(model) || !hasPauses(input)) return
  if (model !== STREAMING_MODEL) {
    throw new InvalidRequestError(
      'unsupported_for_model',
      'input',
      `${model} has no pause markers: use ${STREAMING_MODEL}`,
    )
  }
  const marker = pauseOutOfRange(input)
  if (marker !== undefined) {
    throw new InvalidRequestError('invalid_range', 'input', `${marker} is outside 0.1 to 10.0 seconds`)
  }
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
