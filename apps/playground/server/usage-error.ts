/** A mistake of whoever started a command: shown as one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const
}
