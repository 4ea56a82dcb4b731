import { VOICES_LIMIT_MAX } from '../wire/limits.ts'
import { check, given, integer, optionalText, refused, type Rules } from './rules.ts'

/** Made once: short requests come in great numbers. */
const LIST_RULES: Rules = {
  limit: integer(1, VOICES_LIMIT_MAX),
  offset: integer(0, Number.MAX_SAFE_INTEGER),
  after: optionalText,
  status: optionalText,
}

const other = refused('is not accepted: use audio_sample')

const CREATION_RULES: Rules = {
  file: other,
  file_id: other,
  url: other,
  audio_url: other,
  audio_data: other,
  audio_sample: given,
  name: optionalText,
  description: optionalText,
}

/**
 * The rules of `GET /v1/audio/voices` (interface: List voices).
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceList(query: object): void {
  check(query, LIST_RULES)
}

/**
 * The rules of `POST /v1/audio/voices`: one sample as a file, nothing else (interface: Create voice).
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceCreation(body: object): void {
  check(body, CREATION_RULES)
}
