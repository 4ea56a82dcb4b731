import { createStore, type Store } from '../lib/store.ts'
import type { Exchange } from './exchange.ts'

/** Exchanges that a log holds. */
const MAX_EXCHANGES = 30

/** The latest requests of a panel, newest first. */
export class ExchangeLog {
  readonly #store: Store<readonly Exchange[]> = createStore<readonly Exchange[]>([])
  #changed: Map<number, Exchange> = new Map()
  #frame: ReturnType<typeof setTimeout> | undefined
  #next = 1

  /** Adds an exchange. @returns its id */
  add(exchange: Omit<Exchange, 'id'>): number {
    const id = this.#next
    this.#next += 1
    this.#flush()
    this.#store.set([{ ...exchange, id }, ...this.#store.get()].slice(0, MAX_EXCHANGES))
    return id
  }

  /** The exchange with all changes. */
  find(id: number): Exchange | undefined {
    return this.#changed.get(id) ?? this.#store.get().find((exchange) => exchange.id === id)
  }

  /** Changes an exchange. Subscribers hear of it ten times a second: a stream has hundreds of events. */
  change(id: number, change: Partial<Exchange>): void {
    const exchange = this.find(id)
    if (exchange === undefined) return
    this.#changed.set(id, { ...exchange, ...change })
    this.#frame ??= setTimeout(() => this.#flush(), 100)
  }

  readonly get = (): readonly Exchange[] => this.#store.get()
  readonly subscribe = (listener: () => void): (() => void) => this.#store.subscribe(listener)

  #flush(): void {
    clearTimeout(this.#frame)
    this.#frame = undefined
    if (this.#changed.size === 0) return
    const changed = this.#changed
    this.#changed = new Map()
    this.#store.set(this.#store.get().map((exchange) => changed.get(exchange.id) ?? exchange))
  }
}
