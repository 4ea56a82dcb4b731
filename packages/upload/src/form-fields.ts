/**
 * Text fields of a form by name, in an object without a prototype. Each value is a list: a repeated field does not
 * change the type. Names are taken literally: brackets and dots have no meaning.
 */
export type UploadFields = Readonly<Record<string, readonly string[]>>

/** An upload with text fields. */
export interface WithFields {
  /** The text fields by name. */
  readonly fields: UploadFields
  /** The first value of a text field in `fields`; `undefined` without such a field. */
  field(name: string): string | undefined
}

/** Adds `field()` to an upload. It is not enumerable, so a description stays data that can be cloned and compared. */
export function withField<Upload extends { readonly fields: UploadFields }>(upload: Upload): Upload & WithFields {
  const field = (name: string): string | undefined => upload.fields[name]?.[0]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the property is defined here
  return Object.defineProperty(upload, 'field', { value: field }) as Upload & WithFields
}

/** Collects text fields. */
export class FormFields {
  #fields: Record<string, string[]> = emptyFields()

  add(name: string, value: string): void {
    const values = this.#fields[name]
    if (values === undefined) this.#fields[name] = [value]
    else values.push(value)
  }

  /** Fields collected since the last call. */
  take(): UploadFields {
    const fields = this.#fields
    this.#fields = emptyFields()
    return fields
  }
}

function emptyFields(): Record<string, string[]> {
  // No prototype: `__proto__` and `constructor` are ordinary field names.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.create is typed any; an empty object fits
  return Object.create(null) as Record<string, string[]>
}
