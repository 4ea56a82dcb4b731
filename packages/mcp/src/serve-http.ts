import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http'
import { isIP } from 'node:net'
import { createSpeechOperations } from '@svc-audio/agent-tools'
import { ConfigurationError } from '@svc-audio/core'
import { findOptionFault, flag, integer, milliseconds, optional, type OptionRule, text } from '@svc-audio/options'
import { type SpeechServerOptions } from './create-speech-server.ts'
import { isAllowedHost, isAllowedOrigin, refuse, sameToken } from './http-guards.ts'
import { Sessions, Stateless } from './sessions.ts'

/** Options of {@link serveHttp}. */
export interface ServeHttpOptions extends SpeechServerOptions {
  /** @default 8788; 0 takes a free port */
  readonly port?: number
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string
  /** Bearer token that every request must carry. Required unless `host` is a loopback address. */
  readonly token?: string
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
    allowedHosts,
    maxSessions = 100,
    idleTimeout = IDLE_TIMEOUT,
    stateless = false,
    ...tools
  } = options
  checkHttpOptions({ port, host, token, allowedHosts, maxSessions, idleTimeout, stateless })
  const operations = createSpeechOperations(tools)
  const sessions = stateless ? new Stateless(operations) : new Sessions(operations, { maxSessions, idleTimeout })
  const hosts = allowedHosts?.map((name) => name.toLowerCase()) ?? [
    'localhost',
    '127.0.0.1',
    '[::1]',
    isIP(host) === 6 ? `[${host}]` : host,
  ]
  const server = createServer((request, response) => {
    const refusal = refusalOf(request, hosts, token)
    if (refusal !== undefined) return refuse(response, ...refusal)
    sessions.handle(request, response).catch(() => {
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

const RULES: Readonly<
  Record<'host' | 'port' | 'token' | 'allowedHosts' | 'maxSessions' | 'idleTimeout' | 'stateless', OptionRule>
> = {
  host: text,
  port: (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
      ? undefined
      : 'must be an integer from 0 to 65535',
  token: optional((value) =>
    typeof value === 'string' && value.length >= 16
      ? undefined
      : { fault: 'must be a string of at least 16 characters', isSecret: true },
  ),
  allowedHosts: optional(hostList),
  maxSessions: integer(1),
  idleTimeout: milliseconds,
  stateless: flag,
}

function checkHttpOptions(options: Readonly<Record<keyof typeof RULES, unknown>>): void {
  const fault = findOptionFault(options, RULES, 'serveHttp()')
  if (fault !== undefined) throw new ConfigurationError(fault.message)
  if (options.token === undefined && !['127.0.0.1', '::1', 'localhost'].includes(String(options.host))) {
    throw new ConfigurationError(
      'serveHttp(): `token` must be set when `host` is not a loopback address: anybody could spend your credit',
    )
  }
}

function refusalOf(
  { url = '', headers }: IncomingMessage,
  hosts: readonly string[],
  token: string | undefined,
): [status: number, message: string] | undefined {
  if (!/^\/mcp(\?|$)/.test(url)) return [404, 'There is nothing here: the endpoint is /mcp']
  if (!isAllowedHost(headers.host, hosts)) return [403, 'The Host header names a host that is not allowed']
  if (!isAllowedOrigin(headers.origin, hosts)) return [403, 'The Origin header names a host that is not allowed']
  if (token !== undefined && !sameToken(headers.authorization, token))
    return [401, 'Send Authorization: Bearer <token>']
  return undefined
}

async function listen(server: HttpServer, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
