/** The policy forbids the address. The message names only the host. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError' as const
}

/** The receiver did not answer in time. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError' as const

  /** @param milliseconds The time limit that passed. */
  constructor(milliseconds: number) {
    super(`no response within ${milliseconds / 1000} s`)
  }
}

/** A message to post. */
export interface WebhookMessage {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends webhooks. A driver connects only to the URL's own host, at a permitted address. */
export interface WebhookSender {
  /**
   * Posts a message once. It does not follow redirects or read the body of the response.
   * @returns The status of the response.
   * @throws ForbiddenAddressError before anything is sent; NoResponseError; the system's Error when the connection
   * fails; the signal's reason
   */
  post(message: WebhookMessage, signal: AbortSignal): Promise<number>
}

/** The secrets that sign webhooks. */
export interface WebhookSecrets {
  /** Returns the tenant's secret: `whsec_` and Base64 (Standard Webhooks). The first call creates it. */
  secretOf(tenant: string): Promise<string>
  /** Returns the tenant's secret, then former ones that still sign after a rotation. */
  secretsOf(tenant: string): Promise<readonly string[]>
}
