import { VOICES_LIMIT_MAX } from '../wire/limits.ts'
import { check, given, integer, optionalText, refused } from './rules.ts'

/**
 * The rules of `GET /v1/audio/voices` (interface: List voices).
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceList(query: object): void {
  check(query, {
    limit: integer(1, VOICES_LIMIT_MAX),
    offset: integer(0, Number.MAX_SAFE_INTEGER),
    after: optionalText,
    status: optionalText,
  })
}

/**
 * The rules of `POST /v1/audio/voices`: one sample as a file, nothing else (interface: Create voice).
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceCreation(body: object): void {
  const other = refused('is not accepted: use audio_sample')
  check(body, {
    file: other,
    file_id: other,
    url: other,
    audio_url: other,
    audio_data: other,
    audio_sample: given,
    name: optionalText,
    description: optionalText,
  })
}
