import { ProtocolError } from '../errors/protocol-error.ts'
import { StreamTruncatedError } from '../errors/stream-truncated-error.ts'
import type { Redact } from '../transport/redact.ts'
import type { ResponseBody } from '../transport/transport.ts'
import { parseEvent } from './event-data.ts'
import { SseDecoder } from './sse-decoder.ts'

/** Where events come from: a response body that knows its request id. */
export interface EventBody extends ResponseBody {
  readonly requestId: string | undefined
  /** Takes the key out of a text that the service sent. */
  readonly redact: Redact
}

/**
 * The data of each event of a response, counted. It ends when the body ends: whether that is an end or a cut is for the
 * reader to say, who knows which event is terminal; {@link EventSource.truncated} makes the error.
 */
export class EventSource {
  readonly #body: EventBody
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #decoder = new SseDecoder()
  #queue: Uint8Array[] = []
  #next = 0
  #bytes = 0
  #events = 0
  #ended = false

  constructor(body: EventBody) {
    this.#body = body
    this.#iterator = body[Symbol.asyncIterator]()
  }

  /**
   * The data of the next event, `undefined` at the end of the body.
   * @throws StreamTruncatedError when the body fails or ends within an event
   */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const data = this.#queue[this.#next]
      if (data !== undefined) {
        this.#next += 1
        this.#events += 1
        return data
      }
      if (this.#ended) return undefined
      await this.#fill()
    }
  }

  /** Gives up the rest of the body. */
  cancel(): void {
    this.#body.cancel()
  }

  /** The terminal event has come: the connection may be used again. */
  release(): void {
    this.#body.release()
  }

  /** The error of a stream that ended too soon. */
  truncated(why: string, cause?: unknown): StreamTruncatedError {
    return new StreamTruncatedError(`The stream was cut after ${this.#events} events: ${why}`, {
      bytes: this.#bytes,
      events: this.#events,
      requestId: this.#body.requestId,
      cause,
    })
  }

  async #fill(): Promise<void> {
    this.#next = 0
    try {
      // Not one chunk a call: with small chunks most complete no event, and every call costs a promise.
      do {
        const { done, value } = await this.#iterator.next()
        if (done === true) {
          this.#ended = true
          this.#queue = this.#last()
          return
        }
        this.#bytes += value.byteLength
        this.#queue = this.#decoder.feed(value)
      } while (this.#queue.length === 0)
    } catch (error) {
      this.#body.cancel()
      if (error instanceof StreamTruncatedError) throw this.truncated('the connection failed', error)
      throw error
    }
  }

  /** An event without its blank line counts if it is whole; half an event is a cut. */
  #last(): Uint8Array[] {
    const data = this.#decoder.end()
    if (data === undefined) return []
    try {
      parseEvent(data)
    } catch (error) {
      if (error instanceof ProtocolError) throw this.truncated('it ended within an event', error)
      throw error
    }
    return [data]
  }
}
