/** The address is one that must not be called. Its message names no more than the host. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError' as const
}

/** Nobody answered in time. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError' as const

  /** @param milliseconds How long it was waited for. */
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1000} s`)
  }
}

/** A message to post. */
export interface WebhookMessage {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Calls out. A driver must not be led anywhere but to the URL's own host, at an address that may be called. */
export interface WebhookSender {
  /**
   * Posts a message, once, without following redirects. What is answered is not read.
   * @returns The status of the answer.
   * @throws ForbiddenAddressError before anything is sent; NoAnswerError; the system's Error when the
   * connection fails; the signal's reason
   */
  post(message: WebhookMessage, signal: AbortSignal): Promise<number>
}

/** Secrets that webhooks are signed with. */
export interface WebhookSecrets {
  /** The tenant's own, made when it is first asked for: `whsec_` and Base64 (Standard Webhooks). */
  secretOf(tenant: string): Promise<string>
}
