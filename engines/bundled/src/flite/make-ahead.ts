/**
 * Makes items ahead of their reader, in order. Makes the first alone, which makes it ready soonest. Later ones start
 * while at most `ahead` are in flight or unread. A failure surfaces at its own item.
 */
export async function* makeAhead<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item) => Promise<Made>,
  ahead: number,
): AsyncGenerator<Made, undefined> {
  const source = items[Symbol.iterator]()
  const underWay: Promise<Made>[] = []
  const startUpTo = (count: number): void => {
    while (underWay.length < count) {
      const next = source.next()
      if (next.done === true) return
      const made = make(next.value)
      // The promise is awaited in order. After an earlier failure it never is, and its rejection must not end the
      // process.
      made.catch(() => undefined)
      underWay.push(made)
    }
  }
  startUpTo(1)
  for (let current = underWay.shift(); current !== undefined; current = underWay.shift()) {
    const made = await current
    startUpTo(ahead)
    yield made
    startUpTo(1)
  }
}
