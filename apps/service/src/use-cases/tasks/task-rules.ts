import { invalid } from '../../domain/service-error.ts'
import type { WebhookPolicy } from '../../domain/webhook-policy.ts'

/** What a request says of being a task. */
export interface TaskWish {
  /** Where its end is to be reported. */
  readonly webhookUrl: string | undefined
}

/**
 * The rules of `async` and `webhook_url`. An empty `webhook_url` is none.
 * @returns `undefined` for a request that is answered at once.
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
