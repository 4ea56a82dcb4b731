import type { SentBytes } from './fetch-with-progress.ts'
import { createStore, type Store } from '../lib/store.ts'

/** Characters of a response that the inspector holds. */
export const MAX_TEXT = 20_000

/** An event of a stream, for the inspector. */
export interface ExchangeEvent {
  /** Milliseconds since the request. */
  readonly atMs: number
  readonly type: string
  /** The event's JSON. A long one is shortened. */
  readonly data: string
  readonly bytes: number
}

/** A request and its response, as the page saw them. Times are in milliseconds since the request. */
export interface Exchange {
  readonly id: number
  readonly method: string
  /** Path and query, from `/v1` on. */
  readonly path: string
  /** Clock time of the request. */
  readonly began: Date
  readonly requestHeaders: Readonly<Record<string, string>>
  /** JSON or a description of a form. */
  readonly requestBody: string | undefined
  /** Of an upload. Absent for other requests. */
  readonly upload?: SentBytes
  readonly state: 'open' | 'done' | 'failed' | 'aborted'
  readonly status?: number | undefined
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly headersMs?: number | undefined
  readonly firstByteMs?: number | undefined
  readonly endMs?: number | undefined
  readonly bytes: number
  /** The first events. */
  readonly events: readonly ExchangeEvent[]
  /** Number of all events. */
  readonly eventCount: number
  /** Start of a text answer. */
  readonly responseBody: string
  /** Why there is no complete response. */
  readonly error?: string | undefined
}

/** The fields of an exchange before anything of its response is here. */
export const UNANSWERED: Omit<Exchange, 'id' | 'method' | 'path' | 'began' | 'requestHeaders' | 'requestBody'> = {
  state: 'open',
  responseHeaders: {},
  bytes: 0,
  events: [],
  eventCount: 0,
  responseBody: '',
}

/** Exchanges that a log holds. */
const MAX_EXCHANGES = 30

/** The latest requests of a panel, newest first. */
export class ExchangeLog {
  readonly #store: Store<readonly Exchange[]> = createStore<readonly Exchange[]>([])
  /** Since the subscribers last heard. */
  #changed: Map<number, Exchange> = new Map()
  #waiting = false
  #last = 0

  /** Adds an exchange. @returns its id */
  add(exchange: Omit<Exchange, 'id'>): number {
    this.#last += 1
    this.#note({ ...exchange, id: this.#last })
    return this.#last
  }

  /** The exchange with all changes. */
  find(id: number): Exchange | undefined {
    return this.#changed.get(id) ?? this.#store.get().find((exchange) => exchange.id === id)
  }

  /** Changes an exchange. */
  change(id: number, change: Partial<Exchange>): void {
    const exchange = this.find(id)
    if (exchange !== undefined) this.#note({ ...exchange, ...change })
  }

  readonly get = (): readonly Exchange[] => this.#store.get()
  readonly subscribe = (listener: () => void): (() => void) => this.#store.subscribe(listener)

  /** Subscribers hear ten times per second at most: a stream has hundreds of events, and its sound comes first. */
  #note(exchange: Exchange): void {
    this.#changed.set(exchange.id, exchange)
    if (this.#waiting) return
    this.#waiting = true
    setTimeout(() => this.#tell(), 100)
  }

  #tell(): void {
    this.#waiting = false
    const [before, changed] = [this.#store.get(), this.#changed]
    this.#changed = new Map()
    const added = [...changed.values()].filter(({ id }) => id > (before[0]?.id ?? 0)).toReversed()
    const all = [...added, ...before.map((exchange) => changed.get(exchange.id) ?? exchange)]
    this.#store.set(all.slice(0, MAX_EXCHANGES))
  }
}
