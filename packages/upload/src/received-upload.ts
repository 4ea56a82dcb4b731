import { type UploadFields, withField, type WithFields } from './form-fields.ts'
import { type UploadValues, valuesOf } from './field-values.ts'
import type { IncomingUpload } from './incoming-upload.ts'

/** An upload after its call. */
export interface ReceivedUpload<Values = UploadValues> extends WithFields {
  /** The client's name for the file, cleaned. */
  readonly filename: string
  /** The media type that the client declared. Do not trust it. */
  readonly declaredType: string
  /** The type by the first bytes, e.g. `audio/wav`; `undefined` for content without a known signature. */
  readonly sniffedType: string | undefined
  /** Size of the file, in bytes. */
  readonly bytes: number
  /** Every text field of the form. */
  readonly fields: UploadFields
  /** The result of the `fields` option; without it every text field: text, or a list if the field is repeated. */
  readonly values: Values
  /** The error of the `tee` sink, if it failed and `onError` is `ignore`. */
  readonly teeError?: unknown
}

/**
 * Describes an ended upload. Includes fields after the file only if the whole form was read.
 * @param checked The checked values, if there was a check.
 */
export async function describeUpload<Values>(
  upload: IncomingUpload,
  checked: Values | undefined,
  teeError?: unknown,
): Promise<ReceivedUpload<Values>> {
  const { filename, declaredType, sniffedType, bytes } = upload
  const trailing = await upload.trailingFields.catch((): UploadFields => ({}))
  const fields = mergeFields(upload.fields, trailing)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a check changes the type of the values
  const values = checked ?? (valuesOf(fields) as Values)
  const described = { filename, declaredType, sniffedType, bytes, fields, values }
  return withField(teeError === undefined ? described : { ...described, teeError })
}

function mergeFields(...all: readonly UploadFields[]): UploadFields {
  // No prototype, as in the fields themselves: any name is ordinary.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.create is typed any; an empty object fits
  const merged = Object.create(null) as Record<string, readonly string[]>
  for (const fields of all) {
    for (const [name, values] of Object.entries(fields)) merged[name] = [...(merged[name] ?? []), ...values]
  }
  return merged
}
