import { verifyWebhook } from '@svc-audio/core/webhooks'
import type { IWebhookFunctions } from 'n8n-workflow'
import { CREDENTIAL } from '../SvcAudio/client/n8n-transport.ts'

/**
 * Whether the service signed a callback with a Webhook Secret of the credentials. Without a secret in the credentials,
 * every callback counts as signed.
 * @throws ConfigurationError for a secret that is not Base64
 */
export async function isFromService(context: IWebhookFunctions): Promise<boolean> {
  const { webhookSecret = '' } = await context.getCredentials<{ webhookSecret?: string }>(CREDENTIAL)
  const secret = webhookSecret.split(/[\s,]+/).filter((one) => one !== '')
  if (secret.length === 0) return true
  const body = rawBody(context.getRequestObject())
  return body !== undefined && verifyWebhook({ headers: context.getHeaderData(), body, secret })
}

/** The exact bytes of a request. n8n keeps them beside the parsed body. */
function rawBody(request: object): Uint8Array | string | undefined {
  const body: unknown = Reflect.get(request, 'rawBody')
  return typeof body === 'string' || body instanceof Uint8Array ? body : undefined
}
