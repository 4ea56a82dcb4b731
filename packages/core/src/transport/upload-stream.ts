import { InvalidRequestError, NotReplayableError } from '../errors/request-errors.ts'
import { cancellable } from './cancellable.ts'

/** A stream of bytes: a web stream, a Node stream or an async generator. */
export type UploadStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** Whether a value can be read as a stream. */
export function isStream(value: unknown): value is UploadStream {
  return typeof value === 'object' && value !== null && ('getReader' in value || Symbol.asyncIterator in value)
}

/**
 * Makes a function that opens a stream for each attempt. A request is retried only with all its bytes.
 *
 * @param give Called each time to get the stream
 * @param param Name of the field, for errors
 * @returns the function. It throws `NotReplayableError` if a second call gets a stream that was read before, and
 *   `InvalidRequestError` for a value that is not a stream.
 */
export function opener(give: () => UploadStream, param: string): () => AsyncGenerator<Uint8Array, void, undefined> {
  const opened: unknown[] = []
  return () => {
    const stream = give()
    if (opened.length > 0 && (opened.includes(stream) || isUsed(stream))) {
      throw notReplayable(param)
    }
    opened.push(stream)
    return iterate(stream, param)
  }
}

/** The error for a stream that would have to be read twice. */
export function notReplayable(param: string): NotReplayableError {
  return new NotReplayableError(
    `${param}: its stream was read before: give a path, a Blob, a Uint8Array or a function that opens one`,
  )
}

/** True for a locked web stream, or a Node stream that was read or ended. A generator does not show it. */
function isUsed(stream: UploadStream): boolean {
  const marks = ['locked', 'readableDidRead', 'readableEnded', 'destroyed']
  return isStream(stream) && marks.some((mark) => Reflect.get(stream, mark) === true)
}

/**
 * Iterates a stream, also a web stream that is not iterable (Safari). Leaving early ends the stream and its pending
 * read at once.
 *
 * @param param Name of the field, for errors
 * @throws InvalidRequestError if it is not a stream
 */
export function iterate(stream: UploadStream, param: string): AsyncGenerator<Uint8Array, void, undefined> {
  // Without types, a caller may return nothing, a promise or an array.
  if (!isStream(stream)) {
    throw new InvalidRequestError('invalid_type', param, 'its function must return a stream')
  }
  return 'getReader' in stream ? iterateWeb(stream) : iterateAny(stream)
}

function iterateAny(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of stream) yield chunk
  }
  return cancellable(chunks(), () => {
    // Only a Node stream can be ended during a pending read. A generator ends after its pending read.
    if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy()
  })
}

function iterateWeb(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  }
  return cancellable(chunks(), () => void reader.cancel().catch(() => {}))
}
