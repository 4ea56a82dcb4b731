import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { WebhookReceiver } from '@svc-audio/core/webhooks'
import { logger, optional } from '../option-rules.ts'
import { checkOptions, type OptionRules } from '../options.ts'
import type { HandlerLogOptions, Responder } from './port.ts'

/** Options of a handler for webhooks. */
export interface WebhookHandlerOptions extends HandlerLogOptions {
  /** `createWebhookReceiver()` of `@svc-audio/core/webhooks`. */
  readonly receiver: WebhookReceiver
}

/** The rules of {@link WebhookHandlerOptions}. */
export const WEBHOOK_RULES: OptionRules = {
  receiver: (value) =>
    typeof value === 'object' && value !== null && typeof Reflect.get(value, 'handle') === 'function'
      ? undefined
      : 'must be a receiver: createWebhookReceiver() of @svc-audio/core/webhooks makes one',
  logger: optional(logger),
}

/**
 * Passes the callbacks of finished tasks to a receiver, for the handlers of a framework.
 * @param caller The function that got the options, for messages.
 * @param requestOf The request for the receiver.
 * @throws ConfigurationError here, naming a wrong option
 */
export function webhookResponder<Given, Context>(
  caller: string,
  options: WebhookHandlerOptions,
  requestOf: (given: Given) => Request,
): Responder<Given, Context> {
  checkOptions(caller, options, WEBHOOK_RULES)
  return async ({ given }) => options.receiver.handle(requestOf(given))
}

/** A request of Node's server, or of a framework on it. */
export interface NodeHead {
  /** Path and query. The receiver reads only the query. */
  readonly url?: string | undefined
  /** @default `POST` */
  readonly method?: string | undefined
  /** As Node gives them: names in lower case. */
  readonly headers: IncomingHttpHeaders
}

/**
 * Makes the request for a webhook receiver from one of Node.
 * @param body The body as text or bytes, or parsed; a stream if nothing has read it. A signature covers the bytes as they
 *   came: a parsed body is written again, and fits no signature.
 */
export function webhookRequest({ url = '/', method = 'POST', headers: given }: NodeHead, body: unknown): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !name.startsWith(':')) headers.set(name, [value].flat().join(', '))
  }
  const address = new URL(url, 'http://localhost')
  if (method === 'GET' || method === 'HEAD') return new Request(address, { method, headers })
  return new Request(address, { method, headers, body: bodyOf(body), duplex: 'half' })
}

function bodyOf(body: unknown): Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array> {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new Uint8Array(body)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own type and the global one name the same class
  if (body instanceof Readable) return Readable.toWeb(body) as ReadableStream<Uint8Array>
  return JSON.stringify(body ?? null)
}
