import { VOICES_LIMIT_MAX } from '../wire/limits.ts'
import { requireInteger } from './fields.ts'

/**
 * The rules of `GET /v1/audio/voices` (interface: List voices).
 * @throws InvalidRequestError naming the field
 */
export function checkVoiceList(query: object): void {
  requireInteger(query, 'limit', 1, VOICES_LIMIT_MAX)
  requireInteger(query, 'offset', 0, Number.MAX_SAFE_INTEGER)
}
