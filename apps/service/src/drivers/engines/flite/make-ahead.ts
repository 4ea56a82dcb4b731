/**
 * Makes items ahead of their reader, in order: the first on its own, so that it is ready soonest, then each as long as
 * no more than `ahead` later ones are in flight or wait to be read. A failure surfaces at its own item.
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
      // it is awaited in its turn; when an earlier one fails it never is, which must not end the process
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
