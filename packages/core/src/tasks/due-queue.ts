/** Something that is to happen at a moment. The queue that holds it writes to it; nobody else does. */
export interface Due {
  /** Milliseconds of the clock; `Infinity` while it is in no queue. */
  at: number
  /** Sets apart what is due at the same moment: who came first goes first. */
  order: number
}

/** What is due, the earliest first: a sorted list, in which any item is found by its moment and leaves at once. */
export class DueQueue<Item extends Due> {
  readonly #items: Item[] = []
  #orders = 0

  /** The moment of the earliest item, `Infinity` when there is none. */
  get next(): number {
    return this.#items[0]?.at ?? Infinity
  }

  /** Puts an item in, or moves it. */
  put(item: Item, at: number): void {
    this.remove(item)
    item.at = at
    item.order = this.#orders
    this.#orders += 1
    this.#items.splice(this.#placeOf(item), 0, item)
  }

  /** Takes an item out; does nothing when it is not in. */
  remove(item: Item): void {
    const place = this.#placeOf(item)
    if (this.#items[place] === item) this.#items.splice(place, 1)
    item.at = Infinity
  }

  /** Takes out the earliest item whose moment has come. */
  takeDue(now: number): Item | undefined {
    const [first] = this.#items
    if (first === undefined || first.at > now) return undefined
    this.remove(first)
    return first
  }

  /** How many items come before it. Moving them costs less than finding it, up to many thousands. */
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
