export type {
  Callback,
  CallbackOptions,
  WebhookClient,
  WebhookContext,
  WebhookHandler,
  WebhookReceiverOptions,
} from './receiver-options.ts'
export { memorySeenStore, type SeenStore } from './seen-store.ts'
export {
  type HeaderRecord,
  signWebhook,
  type SignWebhookOptions,
  verifyWebhook,
  type VerifyWebhookOptions,
  type WebhookHeaders,
} from './standard-webhooks.ts'
export { unwrapWebhook, type WebhookEvent } from './unwrap.ts'
export { WebhookVerificationError } from '../errors/webhook-errors.ts'
export { createWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'
