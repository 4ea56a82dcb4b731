/** The client closed the connection before it had its answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError' as const

  constructor() {
    super('The client closed the connection before the end')
  }
}
