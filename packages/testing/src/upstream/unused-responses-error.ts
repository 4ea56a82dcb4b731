/** Thrown by `close()`: a script that no request used tests nothing. */
export class UnusedResponsesError extends Error {
  /** Survives minifiers. */
  override readonly name = 'UnusedResponsesError' as const
  /** The unused responses, by endpoint. */
  readonly unused: readonly string[]

  constructor(unused: readonly string[]) {
    super(`No request used these scripted responses: ${unused.join(', ')}. Remove them, or call \`reset()\` first`)
    this.unused = unused
  }
}
