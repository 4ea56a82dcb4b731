import { FILES_LIMIT_MAX, FILES_OFFSET_MAX } from '@svc-audio/core/interface'
import { z } from 'zod'
import { invalid } from '../../domain/service-error.ts'
import { defineEndpoint, json, named } from '../../http/endpoint.ts'
import { viewFile } from '../../use-cases/files.ts'
import { FileResponse } from './retrieve-file.ts'

/** Files on a page without `limit` (decisions: Files list default `limit`). */
const LIMIT_DEFAULT = 100

const FileQuery = z.looseObject({
  limit: z.coerce
    .number()
    .meta({ type: 'integer', minimum: 1, maximum: FILES_LIMIT_MAX, default: LIMIT_DEFAULT })
    .optional(),
  offset: z.coerce.number().meta({ type: 'integer', minimum: 0, maximum: FILES_OFFSET_MAX }).optional(),
  purpose: z.string().optional(),
})

/** A page of files. */
export const FileListResponse = named(
  'FileList',
  z.looseObject({ object: z.literal('list'), data: z.array(FileResponse) }),
)

/** `GET /v1/files` (interface: List files). */
export const LIST_FILES = defineEndpoint({
  method: 'GET',
  path: '/v1/files',
  operationId: 'listFiles',
  tag: 'files',
  summary: 'A page of the uploaded files',
  description: 'The newest files come first. Add the number of received files to `offset` until a page is empty.',
  rules: ['file-listing'],
  query: FileQuery,
  content: json(FileListResponse),
  errors: [400],
  handle:
    ({ services }) =>
    async ({ query, tenant }) => {
      const { limit = LIMIT_DEFAULT, offset = 0, purpose } = query
      checkInteger('limit', limit, 1, FILES_LIMIT_MAX)
      checkInteger('offset', offset, 0, FILES_OFFSET_MAX)
      const files = await services.stores.files.list(tenant, {
        limit,
        offset,
        ...(purpose === undefined ? {} : { purpose }),
      })
      return { object: 'list', data: files.map(viewFile) }
    },
})

function checkInteger(field: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw invalid('invalid_range', field, `${field} must be a whole number from ${min} to ${max}`)
}
