/**
 * Text fields of a form by name, in an object without a prototype. Each value is a list: a repeated field does not
 * change the type. Names are taken literally: brackets and dots have no meaning.
 */
export type UploadFields = Readonly<Record<string, readonly string[]>>

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
