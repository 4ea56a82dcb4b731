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
