/** A mistake in the command line or the environment. The program prints it as one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const
}
