/**
 * A web stream of the parts of a generator. The generator runs only as far as the reader reads.
 *
 * @param start Starts the generator, at the first read. Its signal aborts with the signal of the call, and when the
 *   reader cancels.
 * @param signal The signal of the call.
 * @param release Releases the source of the call, in every case that ends the stream early.
 */
export function streamParts<Part>(
  start: (signal: AbortSignal) => AsyncGenerator<Part, void, undefined>,
  signal: AbortSignal | undefined,
  release: (reason: unknown) => Promise<void> | undefined,
): ReadableStream<Part> {
  // not `AbortSignal.any`, which edge runtimes lack
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  const unlink = (): void => signal?.removeEventListener('abort', onAbort)
  const parts = start(controller.signal)
  return new ReadableStream<Part>(
    {
      async pull(stream) {
        try {
          const { done, value } = await parts.next()
          if (done !== true) {
            stream.enqueue(value)
            return
          }
          unlink()
          stream.close()
        } catch (error) {
          unlink()
          await release(error)?.catch(() => {})
          stream.error(error)
        }
      },
      async cancel(reason) {
        unlink()
        controller.abort(reason ?? new DOMException('The reader cancelled the stream', 'AbortError'))
        await release(reason)?.catch(() => {})
        // A pending read of the generator ends with the abort.
        void parts.return().catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}

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
