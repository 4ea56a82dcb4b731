import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

interface StoredEvent {
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly bytes: number
}

/** Limits of {@link SessionEvents}. */
export interface EventLimits {
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
