import { Readable } from 'node:stream'
import type { WebhookReceiver } from '@svc-audio/core/webhooks'
import { checkOptions, optionRules, type Uncalled } from '@svc-audio/upload'
import type { Request, RequestHandler, Response as ExpressResponse } from 'express'
import { asyncHandler, type HandlerOptions } from './async-handler.ts'

/** Options of {@link audioWebhooks}. */
export interface AudioWebhooksOptions extends HandlerOptions {
  /** `createWebhookReceiver()` of `@svc-audio/core/webhooks`. */
  readonly receiver: WebhookReceiver
}

/**
 * A handler for the callbacks of finished tasks (interface: Webhook). The receiver checks the token of the address, reads
 * the task from the service, runs its handler once, and says what to answer.
 *
 * Mount it in front of `express.json()` if the receiver has a `signingSecret`: the signature covers the bytes as they
 * came. `req.rawBody` and the `Buffer` of `express.raw()` work too.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.use('/hooks/audio', audioWebhooks({ receiver }))
 */
export function audioWebhooks(
  options: AudioWebhooksOptions,
  ..._uncalled: Uncalled<'audioWebhooks'>[]
): RequestHandler {
  checkOptions('audioWebhooks', options, {
    receiver: (value) =>
      typeof value === 'object' && value !== null && typeof Reflect.get(value, 'handle') === 'function'
        ? undefined
        : 'must be a receiver: createWebhookReceiver() of @svc-audio/core/webhooks makes one',
    logger: optionRules.optional(optionRules.logger),
  })
  const { receiver, logger } = options
  return asyncHandler(logger === undefined ? {} : { logger }, async (request, response) => {
    await send(response, await receiver.handle(webRequest(request)))
    return false
  })
}

/** The receiver reads only the query of the address, so the host does not matter. */
function webRequest(request: Request): globalThis.Request {
  const url = new URL(request.originalUrl, 'http://localhost')
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(':')) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const { method } = request
  if (method === 'GET' || method === 'HEAD') return new globalThis.Request(url, { method, headers })
  return new globalThis.Request(url, { method, headers, body: bodyOf(request), duplex: 'half' })
}

/** The unparsed body if it is still available, else the closest reconstruction. */
function bodyOf(
  request: Request & { readonly rawBody?: unknown },
): Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array> {
  const parsed: unknown = request.rawBody ?? request.body
  if (typeof parsed === 'string' || Buffer.isBuffer(parsed)) return new Uint8Array(Buffer.from(parsed))
  if (request.readableEnded || request.readableDidRead) return JSON.stringify(parsed ?? null)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own type and the global one name the same class
  return Readable.toWeb(request) as ReadableStream<Uint8Array>
}

async function send(response: ExpressResponse, answer: globalThis.Response): Promise<void> {
  answer.headers.forEach((value, name) => response.setHeader(name, value))
  response.status(answer.status).end(await answer.text())
}
