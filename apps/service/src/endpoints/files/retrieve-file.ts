import { z } from 'zod'
import { defineEndpoint, json, unixSeconds, named } from '../../http/endpoint.ts'
import { requireFile, viewFile } from '../../use-cases/files.ts'

/** Parameters of the path of a file. */
export const FileParams = z.object({ file_id: z.string() })

/** An uploaded file. */
export const FileResponse = named(
  'File',
  z.looseObject({
    id: z.string(),
    object: z.literal('file'),
    bytes: z.int(),
    created_at: unixSeconds,
    filename: z.string(),
    purpose: z.string(),
    status: z.enum(['processed', 'active', 'failed']),
  }),
)

/** `GET /v1/files/{file_id}` (interface: Retrieve file). */
export const RETRIEVE_FILE = defineEndpoint({
  method: 'GET',
  path: '/v1/files/:file_id',
  operationId: 'retrieveFile',
  tag: 'files',
  summary: 'The description of a file',
  description: 'Size, name, purpose and time of the upload. The bytes are not returned.',
  rules: ['file-retrieval'],
  params: FileParams,
  content: json(FileResponse),
  errors: [404],
  handle:
    ({ services }) =>
    async ({ params, tenant }) =>
      viewFile(await requireFile(services, tenant, params.file_id)),
})
