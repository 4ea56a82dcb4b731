import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { ConfigurationError } from '@svc-audio/core'
import {
  callback,
  fields,
  findOptionFault,
  flag,
  integer,
  milliseconds,
  optional,
  type OptionRule,
  text,
  texts,
} from '#options'
import {
  allowCors,
  authenticate,
  type HttpAuthOptions,
  isAllowedHost,
  isAllowedOrigin,
  refuse,
  serveMetadata,
} from './http-guards.ts'
import { serverParts, type SpeechServerOptions } from './create-speech-server.ts'
import { Sessions, Stateless } from './sessions.ts'

/** Options of {@link serveHttp}. */
export interface ServeHttpOptions extends SpeechServerOptions {
  /** @default 8788; 0 takes a free port */
  readonly port?: number
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string
  /** Bearer token that every request must carry. Required unless `host` is a loopback address, or `auth` is set. */
  readonly token?: string
  /** Accepts the access tokens of an OAuth server instead of `token`, and tells clients where to get them. */
  readonly auth?: HttpAuthOptions
  /** Origins of pages that may call this server from a browser, e.g. `['https://chat.example.com']`. @default none */
  readonly allowedOrigins?: readonly string[]
  /** Host names that requests may address, against DNS rebinding. @default the loopback names, and `host` */
  readonly allowedHosts?: readonly string[]
  /**
   * Maximum sessions at the same time. A new client closes the least recently used one that has no request in flight and
   * no client listening. @default 100
   */
  readonly maxSessions?: number
  /** Milliseconds without a request after which a session is closed. @default 1_800_000, which is 30 minutes */
  readonly idleTimeout?: number
  /**
   * Serves each request alone, without sessions: for several servers behind one address. Resources of earlier requests
   * and budgets of a session need sessions. @default false
   */
  readonly stateless?: boolean
}

/** A server that listens. */
export interface RunningHttpServer {
  /** Address of the endpoint, e.g. `http://127.0.0.1:8788/mcp`. */
  readonly url: string
  /** Closes every session, aborts the calls in flight and stops listening. */
  close(): Promise<void>
}

/** Default of `idleTimeout`, in milliseconds. */
const IDLE_TIMEOUT = 30 * 60_000

/**
 * Serves MCP clients over streamable HTTP, at `/mcp`. Each client has a session; transcripts and budgets are shared by
 * `forRun`'s users, not by sessions.
 * @throws ConfigurationError naming the option
 */
export async function serveHttp(options: ServeHttpOptions): Promise<RunningHttpServer> {
  const {
    port = 8788,
    host = '127.0.0.1',
    token,
    auth,
    allowedOrigins = [],
    allowedHosts,
    maxSessions = 100,
    idleTimeout = IDLE_TIMEOUT,
    stateless = false,
    ...tools
  } = options
  checkHttpOptions({ port, host, token, auth, allowedOrigins, allowedHosts, maxSessions, idleTimeout, stateless })
  const parts = serverParts(tools)
  const sessions = stateless ? new Stateless(parts) : new Sessions(parts, { maxSessions, idleTimeout })
  const hosts = allowedHosts?.map((name) => name.toLowerCase()) ?? [
    'localhost',
    '127.0.0.1',
    '[::1]',
    isIP(host) === 6 ? `[${host}]` : host,
  ]
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refusal = refusalOf(request, hosts, allowedOrigins)
    if (refusal !== undefined && refusal[0] !== 404) return refuse(response, ...refusal)
    if (allowCors(request, response, allowedOrigins) || serveMetadata(request, response, auth)) return
    if (refusal !== undefined) return refuse(response, ...refusal)
    if (await authenticate(request, response, { token, auth })) await sessions.handle(request, response)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else refuse(response, 500, 'Internal error')
    })
  })
  const address = await listen(server, port, host)
  return {
    url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${address}/mcp`,
    async close() {
      await sessions.close()
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      server.closeAllConnections()
      await closed
    },
  }
}

const hostList: OptionRule = (value) =>
  // A string would allow every part of itself.
  Array.isArray(value) && value.every((name) => typeof name === 'string' && /^(\[[0-9a-f:.]+\]|[^:@/\s]+)$/i.test(name))
    ? undefined
    : "must be an array of host names without ports, e.g. ['audio.example.com']"

/** Exactly as browsers send it: scheme, host, and port if it is not the default one. */
const originList: OptionRule = (value) =>
  Array.isArray(value) && value.every((origin) => URL.canParse(String(origin)) && new URL(origin).origin === origin)
    ? undefined
    : "must be an array of origins, e.g. ['https://chat.example.com']"

const anAddress: OptionRule = (value) => (URL.canParse(String(value)) ? undefined : 'must be an address')

const authRule = fields({
  resource: anAddress,
  authorizationServers: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => anAddress(one) === undefined)
      ? undefined
      : 'must be a non-empty array of addresses',
  scopes: optional(texts),
  verifyToken: callback,
})

const RULES = {
  host: text,
  port: integer(0, undefined, 65_535),
  token: optional((value) =>
    typeof value === 'string' && value.length >= 16
      ? undefined
      : { fault: 'must be a string of at least 16 characters', isSecret: true },
  ),
  auth: optional(authRule),
  allowedOrigins: originList,
  allowedHosts: optional(hostList),
  maxSessions: integer(1),
  idleTimeout: milliseconds,
  stateless: flag,
} satisfies Readonly<Record<string, OptionRule>>

function checkHttpOptions(options: Readonly<Record<keyof typeof RULES, unknown>>): void {
  const fault = findOptionFault(options, RULES, 'serveHttp()')
  if (fault !== undefined) throw new ConfigurationError(fault.message)
  if (options.token !== undefined && options.auth !== undefined) {
    throw new ConfigurationError('serveHttp(): set either `token` or `auth`')
  }
  const isOpen = options.token === undefined && options.auth === undefined
  if (isOpen && !['127.0.0.1', '::1', 'localhost'].includes(String(options.host))) {
    throw new ConfigurationError(
      'serveHttp(): `token` or `auth` must be set when `host` is not a loopback address: anybody could spend your credit',
    )
  }
}

function refusalOf(
  { url = '', headers }: IncomingMessage,
  hosts: readonly string[],
  origins: readonly string[],
): [status: number, message: string] | undefined {
  if (!isAllowedHost(headers.host, hosts)) return [403, 'The Host header names a host that is not allowed']
  if (!isAllowedOrigin(headers.origin, hosts, origins))
    return [403, 'The Origin header names a host that is not allowed']
  return /^\/mcp(\?|$)/.test(url) ? undefined : [404, 'There is nothing here: the endpoint is /mcp']
}

async function listen(server: HttpServer, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
