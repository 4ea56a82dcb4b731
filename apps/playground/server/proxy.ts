import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import type { Request, RequestHandler } from 'express'
import { HttpError } from './http.ts'
import type { Upstream } from './upstream.ts'

/** Headers that pass to the service. All others, cookies among them, are the browser's own. */
const TO_SERVICE = ['accept', 'content-type', 'content-length', 'idempotency-key', 'range', 'if-range', 'if-none-match']

/** Headers of the service's response that belong to its connection or to its own site. */
const NOT_FROM_SERVICE = /^(?:connection|keep-alive|transfer-encoding|set-cookie|access-control-.*|strict-.*|alt-svc)$/

/**
 * Forwards `/api/v1` and `/api/openai` to the service, in both directions as bytes arrive, and adds the key. The page
 * therefore uses the client of this repository, and shows the service's own responses. A disconnect of the browser
 * aborts the call to the service.
 */
export function proxyTo(upstream: Upstream): RequestHandler {
  return async (request, response) => {
    await upstream.ready()
    const call = open(upstream, request)
    // The browser has disconnected.
    response.once('close', () => call.destroy())
    const answer = await responseOf(call, request)
    response.status(answer.statusCode ?? 502)
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined && !NOT_FROM_SERVICE.test(name)) response.setHeader(name, value)
    }
    // The event stream's first bytes must not wait for a full buffer.
    response.flushHeaders()
    // A cut response stays cut: the browser must not take a part for the whole.
    await pipeline(answer, response).catch(() => response.destroy())
  }
}

function open({ baseUrl, apiKey }: Upstream, { method, originalUrl, headers }: Request): ClientRequest {
  // A prefix in the service's own address stays.
  const url = new URL(baseUrl + originalUrl.replace(/^\/api(?=\/)/, ''))
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return send(url, { method, headers: { ...pick(headers), authorization: `Bearer ${apiKey}` } })
}

function pick(headers: IncomingHttpHeaders): Record<string, string | string[] | undefined> {
  return Object.fromEntries(TO_SERVICE.filter((name) => name in headers).map((name) => [name, headers[name]]))
}

/** @throws HttpError 502 when the service does not answer */
async function responseOf(call: ClientRequest, request: Request): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve)
    call.on('error', reject)
  })
  // An early refusal ends the upload. The response matters then.
  pipeline(request, call).catch(() => {})
  return answered.catch((error: unknown) => {
    throw new HttpError(502, 'service_unreachable', 'The service does not answer.', { cause: error })
  })
}
