import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { checkText, createSpeechOperations, type CreatedOperations } from '@svc-audio/agent-tools'
import { ConfigurationError } from '@svc-audio/core'
import { serverOf, type SpeechServerOptions } from './create-speech-server.ts'
import { isAllowedHost, isAllowedOrigin, sameToken } from './http-guards.ts'

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
  /** Most sessions at the same time. @default 100 */
  readonly maxSessions?: number
}

/** A server that listens. */
export interface RunningHttpServer {
  /** Address of the endpoint, e.g. `http://127.0.0.1:8788/mcp`. */
  readonly url: string
  /** Closes every session, aborts the calls in flight and stops listening. */
  close(): Promise<void>
}

/** Milliseconds after which a session without requests is closed. */
const IDLE_SESSION = 30 * 60_000

/**
 * Serves MCP clients over streamable HTTP, at `/mcp`. Each client has a session; transcripts and budgets are shared by
 * `forRun`'s users, not by sessions.
 * @throws ConfigurationError naming the option
 */
export async function serveHttp(options: ServeHttpOptions): Promise<RunningHttpServer> {
  const { port = 8788, host = '127.0.0.1', token, allowedHosts, maxSessions = 100, ...tools } = options
  checkHttpOptions({ port, host, token, allowedHosts, maxSessions })
  const sessions = new Sessions(createSpeechOperations(tools), maxSessions)
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

interface HttpSettings {
  readonly port: number
  readonly host: string
  readonly token: string | undefined
  readonly allowedHosts: readonly string[] | undefined
  readonly maxSessions: number
}

function checkHttpOptions({ port, host, token, allowedHosts, maxSessions }: HttpSettings): void {
  checkText(host, 'host')
  // A string would allow every part of itself.
  if (allowedHosts !== undefined && !isHostList(allowedHosts)) {
    throw new ConfigurationError(
      "allowedHosts must be an array of host names without ports, e.g. ['audio.example.com']",
    )
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ConfigurationError('port must be an integer from 0 to 65535')
  }
  if (!Number.isSafeInteger(maxSessions) || maxSessions < 1) {
    throw new ConfigurationError('maxSessions must be an integer of at least 1')
  }
  if (token !== undefined && (typeof token !== 'string' || token.length < 16)) {
    throw new ConfigurationError('token must be a string of at least 16 characters')
  }
  if (token === undefined && !['127.0.0.1', '::1', 'localhost'].includes(host)) {
    throw new ConfigurationError(
      'token must be set when host is not a loopback address: anybody could spend your credit',
    )
  }
}

function isHostList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && /^(\[[0-9a-f:.]+\]|[^:@/\s]+)$/i.test(name))
  )
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

function refuse(response: ServerResponse, status: number, message: string): void {
  const headers = { 'content-type': 'application/json', ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}) }
  response.writeHead(status, headers)
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}

async function listen(server: HttpServer, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

interface Session {
  readonly transport: StreamableHTTPServerTransport
  lastUsed: number
}

/** The open sessions, each with a server of its own over the same operations. */
class Sessions {
  readonly #open = new Map<string, Session>()
  readonly #created: CreatedOperations
  readonly #max: number
  readonly #sweep: NodeJS.Timeout

  constructor(created: CreatedOperations, max: number) {
    this.#created = created
    this.#max = max
    this.#sweep = setInterval(() => this.#closeIdle(), 60_000).unref()
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']
    const session = typeof id === 'string' ? this.#open.get(id) : undefined
    if (session !== undefined) {
      session.lastUsed = performance.now()
      return session.transport.handleRequest(request, response)
    }
    if (id !== undefined) return refuse(response, 404, 'There is no such session: initialize a new one')
    if (this.#open.size >= this.#max) return refuse(response, 503, 'Too many sessions: close one, or come back later')
    return (await this.#start()).handleRequest(request, response)
  }

  async #start(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.#open.set(id, { transport, lastUsed: performance.now() })
      },
    })
    const server = serverOf(this.#created)
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has a property, and no addEventListener
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#open.delete(transport.sessionId)
    }
    await server.connect(transport)
    return transport
  }

  #closeIdle(): void {
    const oldest = performance.now() - IDLE_SESSION
    for (const { transport, lastUsed } of this.#open.values()) {
      if (lastUsed < oldest) transport.close().catch(() => {})
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.all([...this.#open.values()].map(({ transport }) => transport.close()))
  }
}
