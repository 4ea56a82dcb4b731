import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type EventStore, StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { serverOf, type ServerParts } from './create-speech-server.ts'
import { refuse } from './http-guards.ts'

interface Session {
  readonly transport: StreamableHTTPServerTransport
  /** Responses that are not finished: calls in flight, and the stream of a client that listens. */
  open: number
  lastUsed: number
}

/** Limits of {@link Sessions}. */
export interface SessionLimits {
  readonly maxSessions: number
  /** Milliseconds without a request after which a session is closed. */
  readonly idleTimeout: number
}

/** The open sessions, each with a server of its own over the same operations. */
export class Sessions {
  readonly #open = new Map<string, Session>()
  /** Requests that may become a session. Each has a place. */
  #starting = 0
  readonly #parts: ServerParts
  readonly #limits: SessionLimits
  readonly #sweep: NodeJS.Timeout

  constructor(parts: ServerParts, limits: SessionLimits) {
    this.#parts = parts
    this.#limits = limits
    this.#sweep = setInterval(() => this.#closeExpired(), Math.min(limits.idleTimeout, 60_000)).unref()
  }

  /** Passes a request to its session. A request without a session starts one. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']
    const session = typeof id === 'string' ? this.#open.get(id) : undefined
    if (session !== undefined) {
      hold(session, response)
      return session.transport.handleRequest(request, response)
    }
    if (id !== undefined) return refuse(response, 404, 'There is no such session: initialize a new one')
    if (!this.#makeRoom()) {
      return refuse(response, 503, 'Every session is in use: come back later, or raise maxSessions')
    }
    this.#starting += 1
    const place = new Place(() => {
      this.#starting -= 1
    })
    try {
      const transport = await this.#start(response, place)
      await transport.handleRequest(request, response)
    } finally {
      place.leave()
    }
  }

  async #start(response: ServerResponse, place: Place): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: new SessionEvents(),
      onsessioninitialized: (id) => {
        const session = { transport, open: 0, lastUsed: performance.now() }
        hold(session, response)
        this.#open.set(id, session)
        place.leave()
      },
    })
    const server = serverOf(this.#parts)
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has a property, and no addEventListener
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#open.delete(transport.sessionId)
    }
    await server.connect(transport)
    return transport
  }

  /**
   * Closes the least recently used session without an open response when there is no room. Many clients leave without a
   * word: the `close()` of the official SDK ends no session. @returns whether there is room
   */
  #makeRoom(): boolean {
    if (this.#open.size + this.#starting < this.#limits.maxSessions) return true
    const idle = [...this.#open].filter(([, { open }]) => open === 0)
    const [oldest] = idle.toSorted(([, one], [, other]) => one.lastUsed - other.lastUsed)
    if (oldest === undefined) return false
    const [id, { transport }] = oldest
    this.#open.delete(id)
    transport.close().catch(() => {})
    return true
  }

  #closeExpired(): void {
    const before = performance.now() - this.#limits.idleTimeout
    for (const { transport, open, lastUsed } of this.#open.values()) {
      if (open === 0 && lastUsed < before) transport.close().catch(() => {})
    }
  }

  /** Closes every session and aborts the calls in flight. */
  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.all([...this.#open.values()].map(({ transport }) => transport.close()))
  }
}

/** The place of a session that starts. It is left once. */
class Place {
  #leave: (() => void) | undefined

  constructor(leave: () => void) {
    this.#leave = leave
  }

  leave(): void {
    this.#leave?.()
    this.#leave = undefined
  }
}

/** Marks the session as in use until the response has ended. */
function hold(session: Session, response: ServerResponse): void {
  session.open += 1
  session.lastUsed = performance.now()
  response.once('close', () => {
    session.open -= 1
    session.lastUsed = performance.now()
  })
}

/** Serves each request with a server of its own, and remembers no client. */
export class Stateless {
  readonly #transports = new Set<StreamableHTTPServerTransport>()
  readonly #parts: ServerParts

  constructor(parts: ServerParts) {
    this.#parts = parts
  }

  /** Answers one request. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST')
      return refuse(response, 405, 'This server has no sessions: send POST')
    }
    const transport = new StreamableHTTPServerTransport({})
    this.#transports.add(transport)
    response.once('close', () => {
      this.#transports.delete(transport)
      transport.close().catch(() => {})
    })
    await serverOf(this.#parts).connect(transport)
    await transport.handleRequest(request, response)
  }

  /** Aborts the calls in flight. */
  async close(): Promise<void> {
    await Promise.all([...this.#transports].map((transport) => transport.close()))
  }
}

interface StoredEvent {
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly bytes: number
}

/** Limits of {@link SessionEvents}. */
interface EventLimits {
  readonly maxEvents: number
  readonly maxBytes: number
}

/**
 * The newest events of one session, so that a client whose connection broke gets the answer that it missed. The oldest
 * events make room for new ones.
 */
export class SessionEvents implements EventStore {
  readonly #events = new Map<string, StoredEvent>()
  readonly #limits: EventLimits
  #bytes = 0
  #last = 0

  constructor(limits: EventLimits = { maxEvents: 200, maxBytes: 16 * 1024 * 1024 }) {
    this.#limits = limits
  }

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1
    const id = `${this.#last}`
    const bytes = JSON.stringify(message).length
    this.#events.set(id, { stream, message, bytes })
    this.#bytes += bytes
    for (const [oldest, event] of this.#events) {
      if (oldest === id) break
      if (this.#events.size <= this.#limits.maxEvents && this.#bytes <= this.#limits.maxBytes) break
      this.#events.delete(oldest)
      this.#bytes -= event.bytes
    }
    return id
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.get(id)?.stream
  }

  /** @throws Error for an event that is not stored any more */
  async replayEventsAfter(
    id: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = this.#events.get(id)?.stream
    if (stream === undefined) throw new Error('There is no such event any more: call again')
    let behind = false
    for (const [next, event] of this.#events) {
      if (behind && event.stream === stream) await send(next, event.message)
      behind ||= next === id
    }
    return stream
  }
}
