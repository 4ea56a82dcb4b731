/** A wrong option on the command line. Printed as one line without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const
}
