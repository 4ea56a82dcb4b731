import { z } from 'zod'
import { defineEndpoint, json, named } from '../../http/endpoint.ts'
import { deleteFile } from '../../use-cases/files.ts'
import { FileParams } from './retrieve-file.ts'

/** A deleted file. */
export const FileDeletionResponse = named(
  'FileDeletion',
  z.looseObject({
    id: z.string(),
    object: z.literal('file'),
    deleted: z.literal(true),
  }),
)

/** `DELETE /v1/files/{file_id}` (interface: Delete file). */
export const DELETE_FILE = defineEndpoint({
  method: 'DELETE',
  path: '/v1/files/:file_id',
  operationId: 'deleteFile',
  tag: 'files',
  summary: 'Deletes a file and its bytes',
  description: 'The id is unknown from then on. A waiting task that names the file fails.',
  rules: ['file-deletion'],
  params: FileParams,
  content: json(FileDeletionResponse),
  errors: [400, 404, 413, 415],
  handle:
    ({ services }) =>
    ({ params, tenant }) =>
      deleteFile(services, tenant, params.file_id),
})
