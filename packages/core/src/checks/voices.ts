import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { VOICES_LIMIT_MAX } from '../wire/limits.ts'
import { optionalText, refuseFields, requireInteger } from './fields.ts'

/**
 * The rules of `GET /v1/audio/voices` (interface: List voices).
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceList(query: object): void {
  requireInteger(query, 'limit', 1, VOICES_LIMIT_MAX)
  requireInteger(query, 'offset', 0, Number.MAX_SAFE_INTEGER)
  optionalText(query, 'after', 'status')
}

/**
 * The rules of `POST /v1/audio/voices`: one sample as a file, nothing else (interface: Create voice).
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceCreation(body: object): void {
  const remedy = 'is not accepted: a voice is made from an uploaded audio_sample only'
  refuseFields(body, { file: remedy, file_id: remedy, url: remedy, audio_url: remedy, audio_data: remedy })
  if (Reflect.get(body, 'audio_sample') === undefined) {
    throw new InvalidRequestError(
      'missing_required_field',
      'audio_sample',
      'is required: the reference audio, as a file',
    )
  }
  optionalText(body, 'name', 'description')
}
