import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, type RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { configure } from '@codegenie/serverless-express'
import { serverUrl } from '@svc-audio/testing'
import inject from 'light-my-request'
import serverless from 'serverless-http'

/** A request whose body has arrived. */
export interface WholeRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A response with its whole body. */
export interface WholeResponse {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Uint8Array
}

/** Sends a request to an app. A rejection stands for a connection that closes in mid-response. */
export type Sender = (request: WholeRequest) => Promise<WholeResponse>

/** A running server. Dispose it to stop it. */
export interface Bridge extends AsyncDisposable {
  readonly url: string
}

/** Starts a server that passes whole requests to an app without a socket, for the behaviour table. */
export async function startBridge(send: Sender): Promise<Bridge> {
  const server = createServer((request, response) => {
    void (async () => {
      try {
        const { method = '', url = '', headers } = request
        const { status, headers: named, body } = await send({ method, url, headers, body: await buffer(request) })
        const { 'transfer-encoding': _chunked, connection: _connection, ...rest } = named
        // A response to HEAD has the length of a body that it does not have.
        response.writeHead(status, rest).end(body)
      } catch {
        response.destroy()
      }
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: serverUrl(server),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}

/** Response of `inject()` of Fastify and of light-my-request. */
export interface InjectedResponse {
  readonly statusCode: number
  readonly headers: OutgoingHttpHeaders
  readonly rawPayload: Uint8Array
}

/** An app with an `inject()`, such as one of Fastify. */
export interface InjectableApp {
  inject(options: {
    // Those of both packages' types.
    readonly method: 'POST'
    readonly url: string
    readonly headers: IncomingHttpHeaders
    readonly payload: Buffer
  }): Promise<InjectedResponse>
}

/** Sends requests through an `inject()`. */
export function injecting(call: InjectableApp['inject']): Sender {
  return async ({ method, url, headers, body: payload }) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table uses methods that `inject()` knows
    const { statusCode, headers: named, rawPayload } = await call({ method: method as 'POST', url, headers, payload })
    return { status: statusCode, headers: named, body: rawPayload }
  }
}

/** An event of API Gateway with a payload of version 2, as AWS Lambda gets it. */
function eventOf({ method, url, headers, body }: WholeRequest): object {
  const { pathname, search } = new URL(url, 'http://localhost')
  const named = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(',')])
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: Object.fromEntries(named),
    requestContext: { http: { method, path: pathname, protocol: 'HTTP/1.1', sourceIp: '203.0.113.1', userAgent: '' } },
    body: body.toString('base64'),
    isBase64Encoded: true,
  }
}

/** What a Lambda function returns to API Gateway. */
interface LambdaResult {
  readonly statusCode: number
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
  readonly isBase64Encoded?: boolean
}

/** Sends requests as events to a handler of AWS Lambda. */
export function invoking(handler: (event: object, context: object) => Promise<object>): Sender {
  return async (request) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the adapters do not type what they return
    const result = (await handler(eventOf(request), {})) as LambdaResult
    const { statusCode, headers = {}, body = '', isBase64Encoded = false } = result
    return { status: statusCode, headers, body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }
  }
}

/** An app of Express. */
export interface ExpressApp extends RequestListener {
  readonly request: object
  readonly response: object
}

/** Ways to run an app of Express, or of Nest on it, without a socket. */
export const WITHOUT_SOCKET: Readonly<Record<string, (app: ExpressApp) => Promise<Bridge>>> = {
  'light-my-request': async (app) => {
    // It changes Express for the whole process: apps on sockets work no more.
    const changed = [app.request, app.response].map((one): object => Object.getPrototypeOf(one))
    const originals = changed.map((one): object | null => Object.getPrototypeOf(one))
    const bridge = await startBridge(injecting((options) => inject(app, options)))
    return {
      ...bridge,
      async [Symbol.asyncDispose]() {
        await bridge[Symbol.asyncDispose]()
        for (const [index, one] of changed.entries()) Object.setPrototypeOf(one, originals[index] ?? null)
      },
    }
  },
  'serverless-http': (app) => startBridge(invoking(serverless(app, { binary: true }))),
  '@codegenie/serverless-express': (app) =>
    startBridge(invoking(configure({ app, binarySettings: { isBinary: true } }))),
}
