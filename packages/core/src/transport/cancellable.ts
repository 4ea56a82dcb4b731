/**
 * A generator that gives up its source as soon as it is left. A plain one does not: before its first `next()` it runs no
 * `finally`, and while it waits for its source it only notes that it was left, however long that source is silent.
 *
 * @param abort Must make a pending read of the source settle, and must bear being called after the end.
 */
export function cancellable<Item>(
  generator: AsyncGenerator<Item, void, undefined>,
  abort: () => void,
): AsyncGenerator<Item, void, undefined> {
  const finish = generator.return.bind(generator)
  const fail = generator.throw.bind(generator)
  generator.return = (value) => {
    abort()
    return finish(value)
  }
  generator.throw = (error) => {
    abort()
    return fail(error)
  }
  return generator
}
