import { createStore, type Store } from '../lib/store.ts'
import type { Exchange } from './exchange.ts'

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
