export {
  type Callback,
  type CallbackOptions,
  type HandlerResult,
  memorySeenStore,
  type SeenStore,
  type WebhookClient,
  type WebhookContext,
  type WebhookHandler,
  type WebhookHandlers,
  type WebhookReceiverOptions,
} from './receiver-options.ts'
export {
  type HeaderRecord,
  signWebhook,
  type SignWebhookOptions,
  unwrapWebhook,
  verifyWebhook,
  type VerifyWebhookOptions,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from './standard-webhooks.ts'
export { createWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'
