import { ProtocolError } from '../errors/protocol-error.ts'
import { StreamFailedError } from '../errors/stream-failed-error.ts'
import { StreamTruncatedError } from '../errors/stream-truncated-error.ts'
import { TimeoutError } from '../errors/timeout-error.ts'
import { errorFields } from '../transport/api-error-body.ts'
import { IdleTimer } from '../transport/idle-timer.ts'
import type { Redact } from '../transport/redact.ts'
import type { Clock, ResponseBody } from '../transport/transport.ts'
import { parseEvent, type StreamEvent } from './event-data.ts'
import { SseDecoder } from './sse-decoder.ts'

/** Where events come from: a response body that knows its request id. */
export interface EventBody extends ResponseBody {
  readonly requestId: string | undefined
  /** Takes the key out of a text that the service sent. */
  readonly redact: Redact
}

/** How long a reader waits for the next event. */
export interface EventDeadline {
  readonly clock: Clock
  /**
   * Longest wait for one event, in milliseconds, greater than 0. Comments and other bytes without an event do not end
   * the wait; the time that the reader takes between two events does not count.
   */
  readonly idleEventsTimeout: number
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
  readonly #timer: IdleTimer | undefined
  #expired: TimeoutError | undefined

  constructor(body: EventBody, deadline?: EventDeadline) {
    this.#body = body
    this.#iterator = body[Symbol.asyncIterator]()
    if (deadline === undefined) return
    const { clock, idleEventsTimeout } = deadline
    this.#timer = new IdleTimer(clock, idleEventsTimeout, () => {
      this.#expired = new TimeoutError('events', `No event came within ${idleEventsTimeout} ms`)
      this.#body.cancel()
    })
  }

  /**
   * The data of the next event, `undefined` at the end of the body.
   * @throws StreamTruncatedError when the body fails or ends within an event
   * @throws TimeoutError when no event comes within the deadline
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

  /** No event is asked for until somebody reads on, if ever: no timer stays meanwhile. */
  rest(): void {
    this.#timer?.stop()
  }

  /** Gives up the rest of the body. */
  cancel(): void {
    this.rest()
    this.#body.cancel()
  }

  /** The terminal event has come: the connection may be used again. */
  release(): void {
    this.rest()
    this.#body.release()
  }

  /** The error of a stream that reported its failure by an `error` event, nested or flat (interface: Errors). */
  failed(event: StreamEvent): StreamFailedError {
    const { code, message } = errorFields(event, this.#body.redact)
    return new StreamFailedError(message ?? code ?? 'The service reported a failure without a message', {
      code,
      requestId: this.#body.requestId,
    })
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
    this.#timer?.begin()
    try {
      // Not one chunk a call: with small chunks most complete no event, and every call costs a promise.
      do {
        const { done, value } = await this.#iterator.next()
        if (done === true) {
          this.#ended = true
          if (this.#expired !== undefined) throw this.#expired
          this.rest()
          this.#queue = this.#last()
          return
        }
        this.#bytes += value.byteLength
        this.#queue = this.#decoder.feed(value)
      } while (this.#queue.length === 0)
      this.#timer?.pause()
    } catch (error) {
      this.cancel()
      // Cancelled because of the deadline, the body fails in its own way.
      if (error instanceof StreamTruncatedError) throw this.#expired ?? this.truncated('the connection failed', error)
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
