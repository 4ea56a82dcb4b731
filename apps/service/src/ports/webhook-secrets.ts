/** Secrets that webhooks are signed with. */
export interface WebhookSecrets {
  /** The tenant's own, made when it is first asked for: `whsec_` and Base64 (Standard Webhooks). */
  secretOf(tenant: string): Promise<string>
}
