/** An import asks for something that cannot be narrated. The message says what would be right. */
export class InvalidNarrationError extends Error {
  override readonly name = 'InvalidNarrationError' as const
}
