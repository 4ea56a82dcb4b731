import { invalid } from '../../domain/service-error.ts'
import type { WebhookPolicy } from '../../domain/url-policies.ts'

/** The task options of a request. */
export interface TaskWish {
  /** Address that is called when the task ends. */
  readonly webhookUrl: string | undefined
}

/**
 * Checks `async` and `webhook_url`. An empty `webhook_url` counts as absent.
 * @returns `undefined` for a synchronous request.
 * @throws ServiceError 400 `unsupported_without_async`; 400 `invalid_webhook_url`
 */
export function checkTask(
  { async, webhook_url: url = '' }: { readonly async?: boolean | undefined; readonly webhook_url?: string | undefined },
  webhooks: WebhookPolicy,
): TaskWish | undefined {
  if (async === true) return { webhookUrl: url === '' ? undefined : webhooks.check(url) }
  if (url === '') return undefined
  throw invalid('unsupported_without_async', 'webhook_url', 'webhook_url needs async=true')
}
