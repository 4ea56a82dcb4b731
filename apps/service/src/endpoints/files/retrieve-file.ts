import { defineEndpoint } from '../../http/endpoint.ts'
import { json } from '../../http/openapi/content.ts'
import { requireFile, viewFile } from '../../use-cases/files/files.ts'
import { FileParams, FileResponse } from './file-response.ts'

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
