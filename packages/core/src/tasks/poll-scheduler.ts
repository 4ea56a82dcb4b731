import type { Clock } from '../transport/index.ts'

/** A planned poll. */
export interface Poll extends Due {
  /** Reads the task once. It counts as in flight until it settles. It must not reject. */
  run(): Promise<void>
}

/** The deadline of a wait. */
export interface Deadline extends Due {
  run(): void
}

/**
 * Schedules polls and deadlines. At most `maxRunning` polls run at a time, the earliest first. One timer serves all,
 * and is set only while an item is planned. Even an item that is due now waits for the timer. Otherwise a poll would
 * start before the connection of the previous poll is free, and would open another one.
 */
export class PollScheduler {
  readonly #clock: Clock
  readonly #maxRunning: number
  readonly #polls = new DueQueue<Poll>()
  readonly #deadlines = new DueQueue<Deadline>()
  #running = 0
  #armedFor = Infinity
  #disarm: () => void = () => {}

  constructor(clock: Clock, maxRunning: number) {
    this.#clock = clock
    this.#maxRunning = maxRunning
  }

  /** Plans a poll, or moves it. */
  poll(poll: Poll, at: number): void {
    this.#polls.put(poll, at)
    this.#arm()
  }

  /** Plans a deadline. */
  expire(deadline: Deadline, at: number): void {
    this.#deadlines.put(deadline, at)
    this.#arm()
  }

  /** Removes a poll that has not begun. */
  cancelPoll(poll: Poll): void {
    this.#polls.remove(poll)
    this.#arm()
  }

  /** Removes a deadline. */
  cancelExpire(deadline: Deadline): void {
    this.#deadlines.remove(deadline)
    this.#arm()
  }

  #advance(): void {
    const now = this.#clock.now()
    for (let due = this.#deadlines.takeDue(now); due !== undefined; due = this.#deadlines.takeDue(now)) due.run()
    while (this.#running < this.#maxRunning) {
      const poll = this.#polls.takeDue(now)
      if (poll === undefined) break
      this.#running += 1
      void this.#run(poll)
    }
    this.#arm()
  }

  async #run(poll: Poll): Promise<void> {
    await poll.run()
    this.#running -= 1
    this.#arm()
  }

  /** At the limit, the next poll begins when another ends, and needs no timer. */
  #arm(): void {
    const nextPoll = this.#running < this.#maxRunning ? this.#polls.next : Infinity
    const next = Math.min(nextPoll, this.#deadlines.next)
    if (next === this.#armedFor) return
    this.#disarm()
    this.#disarm = () => {}
    this.#armedFor = next
    if (next === Infinity) return
    this.#disarm = this.#clock.setTimer(Math.max(0, next - this.#clock.now()), () => {
      this.#armedFor = Infinity
      // A timer may fire early, slightly or because the delay is too long for it. It is then set again.
      this.#advance()
    })
  }
}

/** An item that is due at a moment. Only its queue writes to it. */
export interface Due {
  /** Milliseconds of the clock. `Infinity` while it is in no queue. */
  at: number
  /** Orders items that are due at the same moment: first in, first out. */
  order: number
}

/** Items by due moment, the earliest first. A sorted list finds and removes any item by its moment. */
export class DueQueue<Item extends Due> {
  readonly #items: Item[] = []
  #orders = 0

  /** The moment of the earliest item, or `Infinity`. */
  get next(): number {
    return this.#items[0]?.at ?? Infinity
  }

  /** Adds or moves an item. */
  put(item: Item, at: number): void {
    this.remove(item)
    item.at = at
    item.order = this.#orders
    this.#orders += 1
    this.#items.splice(this.#placeOf(item), 0, item)
  }

  /** Removes an item, if it is in the queue. */
  remove(item: Item): void {
    const place = this.#placeOf(item)
    if (this.#items[place] === item) this.#items.splice(place, 1)
    item.at = Infinity
  }

  /** Removes the earliest due item. */
  takeDue(now: number): Item | undefined {
    const [first] = this.#items
    if (first === undefined || first.at > now) return undefined
    this.remove(first)
    return first
  }

  /** The index of an item. Up to many thousands of items, moving the rest costs less than the search. */
  #placeOf({ at, order }: Item): number {
    let [low, high] = [0, this.#items.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#items[middle]
      if (other !== undefined && (other.at < at || (other.at === at && other.order < order))) low = middle + 1
      else high = middle
    }
    return low
  }
}
