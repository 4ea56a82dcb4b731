import { SvcAudioError, type SvcAudioErrorOptions } from './svc-audio-error.ts'

/** No complete answer arrived: the connection failed. `cause` is the transport's own error. */
export class ConnectionError extends SvcAudioError {
  override readonly name = 'ConnectionError' as const
  /**
   * Whether the service may have got the request. `false` is sure: no connection stood, so a second try cannot do
   * anything twice.
   */
  readonly maybeSent: boolean

  constructor(message: string, options: SvcAudioErrorOptions & { readonly maybeSent?: boolean } = {}) {
    super(message, options)
    this.maybeSent = options.maybeSent ?? true
  }
}
