import type { Readable } from 'node:stream'
import { integer, optional } from '#options'
import type { Agent, buildConnector, Dispatcher, EnvHttpProxyAgent } from 'undici'
import { checkOption } from '../checks/index.ts'
import { ConfigurationError } from '../errors.ts'
import {
  checkNode,
  type RequestBody,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport/index.ts'
import { Exchange, SentBody } from './exchange.ts'
import { type Attempt, Connecting, giveBackWritten } from './sockets.ts'

/** Options of {@link nodeTransport}. Deadlines are in milliseconds. */
export interface NodeTransportOptions {
  /** Longest wait for the connection. @default 10000 */
  readonly connectTimeout?: number
  /** Longest wait from the end of the request to the headers of the response. @default 600000 */
  readonly headersTimeout?: number
  /** Longest wait between two pieces of the response's body. @default 120000 */
  readonly idleTimeout?: number
  /** Largest headers of a response, in bytes. Larger ones fail with a `ConnectionError`. @default Node's own: 16384 */
  readonly maxHeaderSize?: number
  /**
   * Allows HTTP/2 for HTTPS connections. undici 8 freezes the whole process when two or more HTTP/2 calls are aborted
   * in the round trip after the TLS handshake. Leave it off if you abort calls. See `docs/upstream` of the repository.
   * @default false
   */
  readonly allowH2?: boolean
  /**
   * A dispatcher of undici 7 or later, e.g. a proxy or one with its own CA. The caller closes it. Create it with
   * `allowH2: false`, for the reason above.
   */
  readonly dispatcher?: Dispatcher
}

/**
 * HTTP over undici. Unlike `fetch`, it uploads in constant memory, and its deadlines are exact. undici is loaded with
 * the first request, so importing the client costs almost nothing. With `NODE_USE_ENV_PROXY=1`, which Node's `fetch` honours
 * too, it sends through the proxies of `HTTP_PROXY` and `HTTPS_PROXY`, except to hosts of `NO_PROXY`.
 * @throws ConfigurationError on Bun and on a Node older than 22.19, and for an invalid `maxHeaderSize`
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  checkRuntime()
  checkOption('maxHeaderSize', optional(integer(1, 'bytes')), options.maxHeaderSize)
  let agent: Promise<Dispatcher> | undefined
  const connecting = new Connecting()
  const connect = async (): Promise<Dispatcher> => {
    const { Agent: AgentClass, buildConnector } = await loadUndici()
    const { allowH2 = false, connectTimeout: timeout = 10_000, maxHeaderSize } = options
    const connectSocket = buildConnector({ timeout, allowH2 })
    return new AgentClass({
      allowH2,
      connectTimeout: timeout,
      ...(maxHeaderSize === undefined ? {} : { maxHeaderSize }),
      connect: connecting.connector((target, callback) =>
        Reflect.apply(connectSocket, undefined, [
          target,
          ((...outcome) => {
            const [error, socket] = outcome
            if (error === null) {
              connecting.watch(socket)
              giveBackWritten(socket)
            }
            callback(...outcome)
          }) satisfies buildConnector.Callback,
        ]),
      ),
    })
  }
  return {
    async send(request) {
      agent ??= options.dispatcher === undefined ? connect() : Promise.resolve(options.dispatcher)
      const dispatcher = await agent
      request.signal.throwIfAborted()
      return dispatch(dispatcher, request, options, connecting)
    },
    async close() {
      const last = agent
      // Reset first, so a call during the close gets new connections.
      agent = undefined
      if (options.dispatcher === undefined) await (await last)?.destroy()
    },
  }
}

function dispatch(
  dispatcher: Dispatcher,
  { url, method, headers, body, signal }: TransportRequest,
  { headersTimeout = 600_000, idleTimeout: bodyTimeout = 120_000 }: NodeTransportOptions,
  connecting: Connecting,
): Promise<TransportResponse> {
  const { origin, pathname, search } = new URL(url)
  const sent = openBody(body)
  const attempt: Attempt = {}
  const exchange = new Exchange({ signal, sent, attempt, isReset: () => connecting.resetting })
  try {
    const path = pathname + search
    const request = { origin, path, method, headers, body: sent, headersTimeout, bodyTimeout }
    connecting.send(attempt, () => dispatcher.dispatch(request, exchange))
  } catch (error) {
    exchange.onResponseError(undefined, isOldDispatcher(error) ? oldDispatcher(error) : error)
  }
  return exchange.response
}

/** Whether a dispatcher has refused the handler of a request, as undici 6 and older refuse those of undici 7. */
function isOldDispatcher(error: unknown): boolean {
  return error instanceof Error && /^invalid on\w+ method$/.test(error.message)
}

function oldDispatcher(cause: unknown): ConfigurationError {
  const message =
    '`dispatcher` of nodeTransport() is from undici 6 or older, which Node 22 has built in: install undici 7 or later in your app, and make the dispatcher with it'
  return new ConfigurationError(message, { cause })
}

function openBody(body: RequestBody | undefined): Uint8Array | Readable | null {
  if (body === undefined) return null
  const opened = body.open()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undici takes any async iterable, its types only streams
  return opened instanceof Uint8Array ? opened : (new SentBody(opened) as unknown as Readable)
}

/**
 * Checks that the client supports this runtime.
 * @throws ConfigurationError with the required and the current version, or the remedy on Bun
 */
export function checkRuntime(): void {
  if ('Bun' in globalThis) {
    throw new ConfigurationError(
      "nodeTransport() needs Node: leave transport out, or pass fetchTransport() of '@svc-audio/core/fetch'",
    )
  }
  checkNode('@svc-audio/core')
}

/** What the transport needs of undici. */
interface UndiciParts {
  /** The agent, or the one that sends through the proxies of the environment. */
  readonly Agent: typeof Agent | typeof EnvHttpProxyAgent
  readonly buildConnector: typeof buildConnector
}

/**
 * Loads the parts of undici that the transport needs. The main entry of undici 8 also replaces the dispatcher of Node's
 * own `fetch`, so the application would leave its proxy and its mocks. It also loads five times as many files.
 */
async function loadUndici(): Promise<UndiciParts> {
  try {
    const [agent, connect] = await Promise.all([
      usesEnvProxy()
        ? import('undici/lib/dispatcher/env-http-proxy-agent.js')
        : import('undici/lib/dispatcher/agent.js'),
      import('undici/lib/core/connect.js'),
    ])
    return { Agent: agent.default, buildConnector: connect.default }
  } catch {
    // A later undici may move its files.
    const { Agent: direct, EnvHttpProxyAgent: proxied, buildConnector: connect } = await import('undici')
    return { Agent: usesEnvProxy() ? proxied : direct, buildConnector: connect }
  }
}

/** Whether Node sends through the proxies of its environment: `NODE_USE_ENV_PROXY=1` or `--use-env-proxy`. */
function usesEnvProxy(): boolean {
  const { NODE_USE_ENV_PROXY: variable, NODE_OPTIONS: options = '' } = process.env
  return variable === '1' || [...process.execArgv, ...options.split(/\s+/)].includes('--use-env-proxy')
}
