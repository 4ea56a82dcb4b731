const MARKER = Symbol.for('svc-audio.client-disconnected-error')

/**
 * The client closed its connection before the answer was complete. No answer can be sent: `status` 499 is for logs, as
 * in nginx.
 */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError' as const
  readonly code = 'client_disconnected' as const
  readonly status = 499 as const
  readonly expose = false as const

  constructor() {
    super('The client closed the connection')
    Object.defineProperty(this, MARKER, { value: true })
  }

  /** Whether a value is such an error, also one from a second copy of this package. */
  static isInstance(value: unknown): value is ClientDisconnectedError {
    return typeof value === 'object' && value !== null && MARKER in value
  }
}
