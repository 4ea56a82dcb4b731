/**
 * Text fields of a form by name, in an object without a prototype. Each is a list, so that a field sent twice cannot turn
 * a string into something else. Names are taken as they are: brackets and dots mean nothing.
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

  /** What was collected since the last time. */
  take(): UploadFields {
    const fields = this.#fields
    this.#fields = emptyFields()
    return fields
  }
}

function emptyFields(): Record<string, string[]> {
  // No prototype: a field called `__proto__` or `constructor` is a field like any other.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.create is typed any; an empty object fits
  return Object.create(null) as Record<string, string[]>
}
