import { FILES_LIMIT_MAX, FILES_OFFSET_MAX } from '@svc-audio/core/interface'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { invalid } from '../domain/service-error.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { idempotencyOf, keyOf } from '../http/idempotency.ts'
import { receiveUpload } from '../http/receive-upload.ts'
import type { Services } from '../services.ts'
import { deleteFile, storeFile, requireFile, viewFile } from '../use-cases/files/files.ts'
import { replayFile } from '../use-cases/idempotency/replay.ts'

/** Files on a page without `limit` (decisions: Files list default `limit`). */
const LIMIT_DEFAULT = 100

/** Longest `purpose`, in characters. */
const MAX_PURPOSE_CHARACTERS = 512

/** Longest stored name, in characters. A longer name is cut off. */
const MAX_FILENAME_CHARACTERS = 255

const FileParams = z.object({ file_id: z.string() })
const FileQuery = z.looseObject({
  limit: z.coerce.number().optional(),
  offset: z.coerce.number().optional(),
  purpose: z.string().optional(),
})

/** `/v1/files`, without its upload. */
export function fileRoutes(app: FastifyInstance, services: Services): void {
  const typed = app.withTypeProvider<ZodTypeProvider>()
  typed.get('/v1/files', { schema: { querystring: FileQuery } }, async ({ query, tenant }) => {
    const { limit = LIMIT_DEFAULT, offset = 0, purpose } = query
    checkInteger('limit', limit, 1, FILES_LIMIT_MAX)
    checkInteger('offset', offset, 0, FILES_OFFSET_MAX)
    const files = await services.files.list(tenant, { limit, offset, ...(purpose === undefined ? {} : { purpose }) })
    return { object: 'list', data: files.map(viewFile) }
  })
  typed.get('/v1/files/:file_id', { schema: { params: FileParams } }, async ({ params, tenant }) =>
    viewFile(await requireFile(services, tenant, params.file_id)),
  )
  typed.delete('/v1/files/:file_id', { schema: { params: FileParams } }, ({ params, tenant }) =>
    deleteFile(services, tenant, params.file_id),
  )
}

/** `POST /v1/files`. Its scope needs the form parser. */
export function fileUploadRoutes(app: FastifyInstance, services: Services): void {
  app.post('/v1/files', async (request, reply) => {
    const signal = disconnectSignal(reply, services.stopping)
    // A repeated upload needs no room, and is recognized only when it is complete.
    const { tenant } = request
    const key = keyOf(request)
    const stored = key === undefined ? await services.objects.of(tenant).requireRoom() : 0
    const { uploadFolder: folder, maxUploadBytes: maxBytes } = services
    const meter = services.uploads.meter(tenant, { key, stored })
    const upload = await receiveUpload(request, 'file', { folder, signal, maxBytes, meter })
    try {
      const { path } = upload
      const purpose = readPurpose(upload.fields['purpose'])
      if (path === undefined) throw invalid('missing_required_field', 'file', 'file is required')
      const filename = upload.filename.slice(0, MAX_FILENAME_CHARACTERS).toWellFormed()
      const idempotency = await idempotencyOf(request, { filename, purpose }, path)
      const terms = { tenant: request.tenant, idempotency }
      const file = await services.keysInFlight.inTurn(
        terms,
        async () => (await replayFile(services, terms)) ?? storeFile(services, { ...terms, path, filename, purpose }),
      )
      return viewFile(file)
    } finally {
      await upload.dispose()
    }
  })
}

function readPurpose(value: string | string[] = ''): string {
  if (typeof value !== 'string') throw invalid('invalid_type', 'purpose', 'purpose must be sent only once')
  if (value.length <= MAX_PURPOSE_CHARACTERS) return value
  throw invalid('field_too_long', 'purpose', `purpose must have at most ${MAX_PURPOSE_CHARACTERS} characters`)
}

function checkInteger(field: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw invalid('invalid_range', field, `${field} must be a whole number from ${min} to ${max}`)
}
