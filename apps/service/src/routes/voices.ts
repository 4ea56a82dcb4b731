import { VOICES_LIMIT_DEFAULT, VOICES_LIMIT_MAX } from '@svc-audio/core/interface'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { invalid, ServiceError } from '../domain/service-error.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { holdKey, idempotencyOf, keyOf } from '../http/idempotency.ts'
import { type ReceivedUpload, receiveUpload } from '../http/receive-upload.ts'
import { VOICE_STATUSES } from '../ports/voice-store.ts'
import type { Services } from '../services.ts'
import { createVoice, invalidSample, MAX_SAMPLE_BYTES, type VoiceOrder } from '../use-cases/voices/voice-creation.ts'
import { listVoices, type VoicePage } from '../use-cases/voices/voices.ts'

const VoiceQuery = z.looseObject({
  limit: z.coerce.number().optional(),
  offset: z.coerce.number().optional(),
  after: z.string().optional(),
  status: z.string().optional(),
})
type VoiceQuery = z.infer<typeof VoiceQuery>

/** `GET /v1/audio/voices`. */
export function voiceRoutes(app: FastifyInstance, services: Services): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .get('/v1/audio/voices', { schema: { querystring: VoiceQuery } }, ({ query, tenant }) =>
      listVoices(services, tenant, checkPage(query)),
    )
}

/** `POST /v1/audio/voices`. Its scope needs the form parser. */
export function voiceUploadRoutes(app: FastifyInstance, services: Services): void {
  app.post('/v1/audio/voices', { onRequest: refuseOtherMedia }, async (request, reply) => {
    const signal = disconnectSignal(reply, services.stopping)
    const upload = await receiveUpload(request, 'audio_sample', {
      folder: services.uploadFolder,
      signal,
      maxBytes: MAX_SAMPLE_BYTES,
      meter: services.uploads.meter(request.tenant, { key: keyOf(request) }),
      tooLarge: () => invalidSample('audio_sample must have at most 20 MB'),
    })
    try {
      const { tenant } = request
      const order = checkCreation(upload)
      const idempotency = await idempotencyOf(request, upload.fields, order.path)
      await holdKey(reply, services.keysInFlight, { tenant, idempotency })
      return await createVoice(services, order, { tenant, idempotency, signal })
    } finally {
      await upload.dispose()
    }
  })
}

/**
 * Checks the query of a page (interface: List voices).
 * @throws ServiceError for a limit outside 1 to 150, a negative offset, an unknown status, or `offset` together with
 * `after`
 */
function checkPage({ limit = VOICES_LIMIT_DEFAULT, offset, after, status }: VoiceQuery): VoicePage {
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

/** Refuses every body except a form (interface: Create voice), before the body is read. */
async function refuseOtherMedia({ headers }: FastifyRequest): Promise<void> {
  if (/^multipart\/form-data\b/i.test(headers['content-type'] ?? '')) return
  throw new ServiceError(415, 'unsupported_media_type', 'Send the voice sample as multipart/form-data', {
    param: 'audio_sample',
  })
}

/** Sources that are not accepted (interface: Create voice). */
const OTHER_SOURCES = ['file', 'file_id', 'url', 'audio_url', 'audio_data', 'voice_url', 'voice_data']
const LONGEST_NAME = 200
const LONGEST_DESCRIPTION = 2000

function checkCreation({ fields, path }: ReceivedUpload): VoiceOrder {
  for (const field of OTHER_SOURCES) {
    if (fields[field] !== undefined) {
      throw invalid('unsupported_field', field, `${field} is not accepted: upload the sample as audio_sample`)
    }
  }
  if (path === undefined) {
    throw invalid('missing_required_field', 'audio_sample', 'audio_sample is required and must be a file')
  }
  return {
    path,
    name: shortText(fields, 'name', LONGEST_NAME),
    description: shortText(fields, 'description', LONGEST_DESCRIPTION),
  }
}

function shortText(fields: ReceivedUpload['fields'], field: string, longest: number): string {
  const value = fields[field] ?? ''
  if (typeof value !== 'string') throw invalid('invalid_type', field, `${field} must be one string`)
  if (value.length > longest) throw invalid('field_too_long', field, `${field} must have at most ${longest} characters`)
  return value
}
