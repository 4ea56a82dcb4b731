/** Something that is to happen at a moment. The queue that holds it writes to it; nobody else does. */
export interface Due {
  /** Milliseconds of the clock. */
  at: number
  /** Sets apart what is due at the same moment: who came first goes first. */
  order: number
  /** Its place in the queue, -1 when it is in none. */
  slot: number
}

/** What is due, the earliest first: a binary heap whose items know their place, so that any of them leaves at once. */
export class DueQueue<Item extends Due> {
  readonly #heap: Item[] = []
  #orders = 0

  /** The moment of the earliest item, `Infinity` when there is none. */
  get next(): number {
    return this.#heap[0]?.at ?? Infinity
  }

  /** Puts an item in, or moves it. */
  put(item: Item, at: number): void {
    this.remove(item)
    item.at = at
    item.order = this.#orders
    this.#orders += 1
    this.#heap.push(item)
    this.#rise(item, this.#heap.length - 1)
  }

  /** Takes an item out; does nothing when it is not in. */
  remove(item: Item): void {
    const { slot } = item
    if (slot === -1) return
    item.slot = -1
    const last = this.#heap.pop()
    if (last === undefined || last === item) return
    this.#rise(last, slot)
    this.#sink(last, last.slot)
  }

  /** Takes out the earliest item whose moment has come. */
  takeDue(now: number): Item | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.at > now) return undefined
    this.remove(first)
    return first
  }

  #place(item: Item, slot: number): void {
    this.#heap[slot] = item
    item.slot = slot
  }

  #rise(item: Item, from: number): void {
    let slot = from
    while (slot > 0) {
      const parent = (slot - 1) >> 1
      const above = this.#heap[parent]
      if (above === undefined || !isBefore(item, above)) break
      this.#place(above, slot)
      slot = parent
    }
    this.#place(item, slot)
  }

  #sink(item: Item, from: number): void {
    let slot = from
    for (;;) {
      const [left, right] = [this.#heap[2 * slot + 1], this.#heap[2 * slot + 2]]
      const below = left !== undefined && right !== undefined && isBefore(right, left) ? right : left
      if (below === undefined || !isBefore(below, item)) break
      const { slot: lower } = below
      this.#place(below, slot)
      slot = lower
    }
    this.#place(item, slot)
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
