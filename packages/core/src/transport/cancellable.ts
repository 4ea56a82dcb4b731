/**
 * A generator that closes its source as soon as the consumer leaves. A plain generator does not: before its first
 * `next()` it runs no `finally`, and during a pending read it waits until the source answers.
 *
 * @param abort Makes a pending read of the source settle. It may be called after the end.
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
