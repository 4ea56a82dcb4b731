import { z } from 'zod'
import { invalid } from '../../domain/service-error.ts'
import { disconnectSignal } from '../../http/response-end.ts'
import { binary, defineEndpoint, json } from '../../http/endpoint.ts'
import { idempotencyOf, keyOf } from '../../http/idempotency.ts'
import { receiveUpload } from '../../http/uploads.ts'
import { replayFile, storeFile, viewFile } from '../../use-cases/files.ts'
import { FileResponse } from './retrieve-file.ts'

/** Longest `purpose`, in characters. */
const MAX_PURPOSE_CHARACTERS = 512

/** Longest stored name, in characters. A longer name is cut off. */
const MAX_FILENAME_CHARACTERS = 255

/** `POST /v1/files` (interface: Upload file). */
export const UPLOAD_FILE = defineEndpoint({
  method: 'POST',
  path: '/v1/files',
  operationId: 'uploadFile',
  tag: 'files',
  summary: 'Stores a file for use by its id',
  description: 'The id is the `file_id` of a transcription. A file has at most 512 MB and is sent as a stream.',
  rules: ['file-upload'],
  usage: 'files',
  bodies: { 'multipart/form-data': z.object({ file: binary, purpose: z.string().optional() }) },
  content: json(FileResponse),
  errors: [400, 409, 413, 415],
  handle:
    ({ services }) =>
    async (request, reply) => {
      const { tenant } = request
      const signal = disconnectSignal(reply, services.runtime.stopping)
      // A repeated upload needs no room, and is recognized only when it is complete.
      const key = keyOf(request)
      const stored = key === undefined ? await services.objects.uploads.of(tenant).requireRoom() : 0
      const { uploadFolder: folder } = services.objects
      const { maxUploadBytes: maxBytes } = services.settings
      const meter = services.objects.inFlight.meter(tenant, { key, stored })
      const upload = await receiveUpload(request, 'file', { folder, signal, maxBytes, meter })
      try {
        const { path } = upload
        const purpose = readPurpose(upload.fields['purpose'])
        if (path === undefined) throw invalid('missing_required_field', 'file', 'file is required')
        const filename = upload.filename.slice(0, MAX_FILENAME_CHARACTERS).toWellFormed()
        const idempotency = await idempotencyOf(request, { filename, purpose }, path)
        const terms = { tenant, idempotency }
        const file = await services.stores.keysInFlight.inTurn(
          terms,
          async () => (await replayFile(services, terms)) ?? storeFile(services, { ...terms, path, filename, purpose }),
        )
        return viewFile(file)
      } finally {
        await upload.dispose()
      }
    },
})

function readPurpose(value: string | string[] = ''): string {
  if (typeof value !== 'string') throw invalid('invalid_type', 'purpose', 'purpose must be sent only once')
  if (value.length <= MAX_PURPOSE_CHARACTERS) return value
  throw invalid('field_too_long', 'purpose', `purpose must have at most ${MAX_PURPOSE_CHARACTERS} characters`)
}
