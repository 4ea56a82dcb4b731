import type { EventBody } from '../../src/streaming/event-source.ts'
import { StreamTruncatedError } from '../../src/index.ts'

/** A body that a test feeds, with its recorded calls. */
export interface FedBody {
  readonly body: EventBody
  readonly feed: (chunk: string | Uint8Array) => void
  readonly end: () => void
  readonly fail: (error: Error) => void
  /** The calls of `cancel` and `release`, in order. */
  readonly calls: readonly string[]
}

/** A body like that of a response. Cancelling it fails a pending read. */
export function fedBody(): FedBody {
  const queue: (Uint8Array | Error | 'end')[] = []
  const calls: string[] = []
  let news = Promise.withResolvers<void>()
  const put = (item: Uint8Array | Error | 'end'): void => {
    queue.push(item)
    news.resolve()
  }
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const item = queue.shift()
      if (item === 'end') return
      if (item instanceof Error) throw item
      if (item === undefined) {
        await news.promise
        news = Promise.withResolvers()
      } else yield item
    }
  }
  const body: EventBody = {
    requestId: 'req-1',
    redact: (text) => text.replaceAll('secret', '[API key]'),
    [Symbol.asyncIterator]: chunks,
    cancel: () => {
      calls.push('cancel')
      put(new StreamTruncatedError('given up', { bytes: 0 }))
    },
    release: () => void calls.push('release'),
  }
  return {
    body,
    feed: (chunk) => put(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk),
    end: () => put('end'),
    fail: put,
    calls,
  }
}

/** A body of these chunks. */
export function bodyOf(...chunks: readonly (string | Uint8Array)[]): FedBody {
  const fed = fedBody()
  for (const chunk of chunks) fed.feed(chunk)
  fed.end()
  return fed
}
