/** A web stream of an async iterable, pulled only as it is read. Cancelling it ends the iteration. */
export function toReadableStream(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  let iterator: AsyncIterator<Uint8Array> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        iterator ??= source[Symbol.asyncIterator]()
        const { done, value } = await iterator.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        iterator ??= source[Symbol.asyncIterator]()
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
