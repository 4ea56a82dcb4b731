import type { UploadFields } from './form-fields.ts'
import type { IncomingUpload } from './incoming-upload.ts'

/** What is left of an upload when its transcription is there. */
export interface ReceivedUpload {
  /** The client's name for the file, cleaned. */
  readonly filename: string
  /** The client's word on the media type; not to be trusted. */
  readonly declaredType: string
  /** What the first bytes say, e.g. `audio/wav`; `undefined` for raw content that was allowed. */
  readonly sniffedType: string | undefined
  /** Size of the file, in bytes. */
  readonly bytes: number
  /** Every text field of the form. */
  readonly fields: UploadFields
}

/** Describes an upload that is over. Fields after the file are there only when the whole form was read. */
export async function describeUpload(upload: IncomingUpload): Promise<ReceivedUpload> {
  const { filename, declaredType, sniffedType, bytes } = upload
  const trailing = await upload.trailingFields.catch((): UploadFields => ({}))
  return { filename, declaredType, sniffedType, bytes, fields: mergeFields(upload.fields, trailing) }
}

function mergeFields(...all: readonly UploadFields[]): UploadFields {
  // No prototype, as the fields themselves have none: any name is a name.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.create is typed any; an empty object fits
  const merged = Object.create(null) as Record<string, readonly string[]>
  for (const fields of all) {
    for (const [name, values] of Object.entries(fields)) merged[name] = [...(merged[name] ?? []), ...values]
  }
  return merged
}
