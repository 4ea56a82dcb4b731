import { VOICES_LIMIT_DEFAULT, VOICES_LIMIT_MAX } from '@svc-audio/core/interface'
import { z } from 'zod'
import { invalid } from '../../domain/service-error.ts'
import { defineEndpoint, json, unixSeconds, named } from '../../http/endpoint.ts'
import { VOICE_STATUSES } from '../../ports/voice-store.ts'
import { listVoices, type VoicePage } from '../../use-cases/voices.ts'

/** A voice. */
export const VoiceResponse = named(
  'Voice',
  z.looseObject({
    id: z.string(),
    object: z.literal('audio.voice'),
    name: z.string(),
    created_at: unixSeconds,
    language: z.string().optional().describe('An addition to the interface: language of a built-in voice, as `de`'),
    languages: z.array(z.string()).optional().describe('An addition: all languages of the voice, if it has several'),
    gender: z.enum(['female', 'male', 'neutral']).optional().describe('An addition: how the voice sounds, if known'),
    description: z.string().optional().describe('An addition: a sentence about the voice, if it has one'),
    engine: z.string().optional().describe('An addition: the engine of a built-in voice, if the service has several'),
  }),
)

/** The query of a page of voices. */
export const VoiceQuery = z.looseObject({
  limit: z.coerce.number().meta({ type: 'integer', minimum: 1, maximum: VOICES_LIMIT_MAX }).optional(),
  offset: z.coerce.number().meta({ type: 'integer', minimum: 0 }).optional(),
  after: z.string().optional(),
  status: z.string().optional(),
})
/** A parsed {@link VoiceQuery}. */
export type VoiceQuery = z.infer<typeof VoiceQuery>

/** A page of voices. */
export const VoiceListResponse = named(
  'VoiceList',
  z.looseObject({
    object: z.literal('list'),
    data: z.array(VoiceResponse),
    has_more: z.boolean(),
    first_id: z.string().optional(),
    last_id: z.string().optional(),
    next_cursor: z.string().optional().describe('Pass it as `after`'),
  }),
)

/** `GET /v1/audio/voices` (interface: List voices). */
export const LIST_VOICES = defineEndpoint({
  method: 'GET',
  path: '/v1/audio/voices',
  operationId: 'listVoices',
  tag: 'voices',
  summary: 'A page of the voices of this account',
  description:
    'The voices of the service come first, then those of the account in the order of their creation. Pass `next_cursor` as `after` for the next page.',
  rules: ['voice-listing', 'voice-list'],
  query: VoiceQuery,
  content: json(VoiceListResponse),
  errors: [400],
  handle:
    ({ services }) =>
    ({ query, tenant }) =>
      listVoices(services, tenant, checkPage(query)),
})

/**
 * Checks the query of a page (interface: List voices).
 * @throws ServiceError for a limit outside 1 to 150, a negative offset, an unknown status, or `offset` together with
 * `after`
 */
export function checkPage({ limit = VOICES_LIMIT_DEFAULT, offset, after, status }: VoiceQuery): VoicePage {
  checkInteger('limit', limit, 1, VOICES_LIMIT_MAX)
  checkInteger('offset', offset ?? 0, 0, Number.MAX_SAFE_INTEGER)
  if (offset !== undefined && after !== undefined) {
    throw invalid('ambiguous_paging', 'after', 'Send either offset or after, not both')
  }
  const known = VOICE_STATUSES.find((one) => one === status)
  if (status !== undefined && known === undefined) {
    throw invalid('invalid_value', 'status', `status must be one of ${VOICE_STATUSES.join(', ')}`)
  }
  return { limit, offset: offset ?? 0, after, status: known }
}

function checkInteger(field: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw invalid(
    'invalid_range',
    field,
    `${field} must be a whole number from ${min}${max > 1e9 ? ' on' : ` to ${max}`}`,
  )
}
