/** A value in the node's form that cannot be used. It is found before any request. */
export class FormError extends Error {
  override readonly name = 'FormError'
  /** Display name of the field. */
  readonly field: string
  /** What the user can do about it. */
  readonly remedy: string

  /**
   * @param field Display name of the field.
   * @param fault What is wrong with the value, e.g. `must be a number, got "soon"`.
   */
  constructor(field: string, fault: string, remedy: string) {
    super(`${field}: ${fault}`)
    this.field = field
    this.remedy = remedy
  }
}
