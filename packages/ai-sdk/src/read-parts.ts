/**
 * Reads a stream as an iterator. When it is left or aborted, it ends at once, also during a read, and the source is
 * cancelled.
 *
 * @param convert May throw, which cancels the source too.
 */
export function readParts<Part, Item>(
  stream: ReadableStream<Part>,
  convert: (part: Part) => Item,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  const reader = stream.getReader()
  const end = async (reason?: unknown): Promise<IteratorReturnResult<undefined>> => {
    signal?.removeEventListener('abort', onAbort)
    await reader.cancel(reason).catch(() => {})
    return { done: true, value: undefined }
  }
  const onAbort = (): void => void end(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  return {
    async next() {
      const { done, value } = await reader.read()
      if (done) return { done: true, value: undefined }
      try {
        return { done: false, value: convert(value) }
      } catch (error) {
        await end(error)
        throw error
      }
    },
    return: () => end(),
    async throw(error) {
      await end(error)
      throw error
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      await end()
    },
  }
}
