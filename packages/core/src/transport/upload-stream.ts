import { InvalidRequestError, NotReplayableError } from '../errors/request-errors.ts'
import { cancellable } from './cancellable.ts'

/** Bytes as they come: a web stream, a Node stream, an async generator. */
export type UploadStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** Whether something can be read like a stream. */
export function isStream(value: unknown): value is UploadStream {
  return typeof value === 'object' && value !== null && ('getReader' in value || Symbol.asyncIterator in value)
}

/**
 * Opens a stream, again if need be: a request is tried a second time only with all of its bytes.
 *
 * @param give Called for every opening.
 * @param param The field it belongs to, for errors.
 * @returns What opens it. It throws `NotReplayableError` where the stream of a second opening was read before, and
 *   `InvalidRequestError` for what is no stream.
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

/** The error of a stream that would have to be read twice. */
export function notReplayable(param: string): NotReplayableError {
  return new NotReplayableError(
    `${param}: its stream was read before: give a path, a Blob, a Uint8Array or a function that opens one`,
  )
}

/** A web stream that is locked, a Node stream that was read or ended. A generator does not tell. */
function isUsed(stream: UploadStream): boolean {
  const marks = ['locked', 'readableDidRead', 'readableEnded', 'destroyed']
  return isStream(stream) && marks.some((mark) => Reflect.get(stream, mark) === true)
}

/**
 * Iterates a stream; a web stream also where it is not iterable itself (Safari). Leaving early ends the stream at once,
 * a read that is waiting for it included.
 *
 * @param param The field it belongs to, for errors.
 * @throws InvalidRequestError when it is no stream
 */
export function iterate(stream: UploadStream, param: string): AsyncGenerator<Uint8Array, void, undefined> {
  // A caller without types may have returned nothing, a promise or an array.
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
    // Only a Node stream can be ended while it waits; a generator of the caller's notes it when it goes on.
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
