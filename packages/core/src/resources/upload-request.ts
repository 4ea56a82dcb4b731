import type { ApiRequest } from '../transport/api.ts'
import type { CallOptions } from '../transport/call.ts'
import { multipartBody } from '../transport/multipart.ts'
import type { UploadSource } from '../transport/upload-source.ts'
import { openUpload } from '../transport/uploads.ts'
import type { ClientContext } from './context.ts'

/** A multipart request: text fields, then one file. */
export async function uploadRequest(
  { uploads }: ClientContext,
  request: Required<Pick<ApiRequest, 'fields'>> & ApiRequest,
  [field, source]: readonly [field: string, source: UploadSource],
  { onUploadProgress }: CallOptions = {},
): Promise<ApiRequest> {
  const file = await openUpload(source, field, uploads)
  return { ...request, body: multipartBody(formFields(request.fields), field, file, { onProgress: onUploadProgress }) }
}

/** Converts the fields of a body to form fields. An array becomes repeated fields, a boolean `true` or `false`. */
function formFields(body: object): [name: string, value: string][] {
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    const values: unknown[] = Array.isArray(value) ? value : [value]
    return values
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [name, typeof one === 'string' ? one : JSON.stringify(one)])
  })
}
