import { VOICES_LIMIT_DEFAULT, VOICES_LIMIT_MAX, type Voice, type VoiceList } from '@svc-audio/core/interface'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { VERSION_CREATED } from '../domain/models.ts'
import { invalid } from '../domain/service-error.ts'
import type { EngineVoice } from '../ports/speech-engine.ts'
import type { Services } from '../services.ts'

const VoiceQuery = z.looseObject({
  limit: z.coerce.number().optional(),
  offset: z.coerce.number().optional(),
  after: z.string().optional(),
  status: z.string().optional(),
})
type VoiceQuery = z.infer<typeof VoiceQuery>

const STATUSES = ['active', 'failed']

/** `GET /v1/audio/voices`. */
export function voiceRoutes(app: FastifyInstance, { speech }: Services): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .get('/v1/audio/voices', { schema: { querystring: VoiceQuery } }, ({ query }) => page(speech.voices, query))
}

/**
 * One page of voices (interface: List voices).
 * @throws ServiceError for a limit outside 1 to 150, a negative offset, a cursor that is none, or both together
 */
function page(voices: readonly EngineVoice[], query: VoiceQuery): VoiceList {
  const { limit = VOICES_LIMIT_DEFAULT, offset = 0, after, status } = query
  checkInteger('limit', limit, 1, VOICES_LIMIT_MAX)
  checkInteger('offset', offset, 0, Number.MAX_SAFE_INTEGER)
  if (query.offset !== undefined && after !== undefined) {
    throw invalid('ambiguous_paging', 'after', 'offset and after are given together: use one')
  }
  if (status !== undefined && !STATUSES.includes(status)) {
    throw invalid('invalid_value', 'status', `status must be one of ${STATUSES.join(', ')}`)
  }
  const all = status === 'failed' ? [] : voices
  const from = after === undefined ? offset : indexAfter(all, after)
  const data = all.slice(from, from + limit).map(toVoice)
  const hasMore = from + limit < all.length
  const first = data.at(0)
  const last = data.at(-1)
  return {
    object: 'list',
    data,
    has_more: hasMore,
    ...(first === undefined || last === undefined ? {} : { first_id: first.id, last_id: last.id }),
    ...(hasMore && last !== undefined ? { next_cursor: last.id } : {}),
  }
}

function indexAfter(voices: readonly EngineVoice[], cursor: string): number {
  const index = voices.findIndex((voice) => voice.id === cursor)
  if (index === -1) throw invalid('invalid_cursor', 'after', 'after is not a cursor of this list: use next_cursor')
  return index + 1
}

function checkInteger(field: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw invalid(
    'invalid_range',
    field,
    `${field} must be a whole number from ${min}${max > 1e9 ? ' on' : ` to ${max}`}`,
  )
}

function toVoice({ id, name }: EngineVoice): Voice {
  return { id, object: 'audio.voice', name, created_at: VERSION_CREATED }
}
