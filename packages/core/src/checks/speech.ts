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
  webhook_url: 'needs a task: use speech.createTask()',
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
    async: 'is set by the method: use speech.createTask()',
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
  refuseTruthy(body, 'async', 'unsupported_with_async', 'a stream cannot be asynchronous: use speech.createTask()')
  refuseTruthy(body, 'webhook_url', 'unsupported_with_webhook', 'a stream calls no webhook: use speech.createTask()')
  refuseTruthy(body, 'sample_rate', 'unsupported_for_stream', 'is chosen by the service: read it from stream.format')
  checkInput(model, requireText(body, 'input'))
  requireOneOf(body, 'stream', [true])
  requireOneOf(body, 'response_format', ['pcm'], 'unsupported_response_format')
  requireOneOf(body, 'stream_format', ['audio', 'sse'], 'unsupported_stream')
  if (isKnownModel(model) && model !== STREAMING_MODEL) {
    throw new InvalidRequestError('unsupported_stream', 'model', `${model} does not stream: use ${STREAMING_MODEL}`)
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

function refuseTruthy(body: object, field: string, code: string, remedy: string): void {
  const value: unknown = Reflect.get(body, field)
  if (value !== undefined && value !== false && value !== '' && value !== 0) {
    throw new InvalidRequestError(code, field, remedy)
  }
}

function optionalNumber(body: object, field: string): number | undefined {
  const value: unknown = Reflect.get(body, field)
  if (value === undefined) return undefined
  if (typeof value !== 'number') throw new InvalidRequestError('invalid_type', field, 'must be a number')
  return value
}
