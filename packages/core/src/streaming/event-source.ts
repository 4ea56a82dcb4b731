import { ProtocolError, TimeoutError } from '../errors/service-errors.ts'
import { StreamFailedError, StreamTruncatedError } from '../errors/stream-errors.ts'
import { SvcAudioError } from '../errors/svc-audio-error.ts'
import { errorFields } from '../transport/api-error-body.ts'
import { IdleTimer } from '../transport/idle-timer.ts'
import { cancellable } from '../transport/cancellable.ts'
import type { Redact } from '../transport/key-source.ts'
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
 * The events of a response, counted. Which of them is terminal is for the reader to say, by {@link EventSource.finish};
 * a body that ends before it is cut. Every error that comes of an event knows the request id.
 */
export class EventSource {
  readonly #body: EventBody
  readonly #terminal: string
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #decoder = new SseDecoder()
  #queue: Uint8Array[] = []
  #next = 0
  #bytes = 0
  #events = 0
  #ended = false
  #complete = false
  readonly #timer: IdleTimer | undefined
  #expired: TimeoutError | undefined

  /** @param terminal Type of the event that ends the stream, for messages. */
  constructor(body: EventBody, terminal: string, deadline?: EventDeadline) {
    this.#body = body
    this.#terminal = terminal
    this.#iterator = body[Symbol.asyncIterator]()
    if (deadline === undefined) return
    const { clock, idleEventsTimeout } = deadline
    this.#timer = new IdleTimer(clock, idleEventsTimeout, () => {
      this.#expired = new TimeoutError('events', `No event came within ${idleEventsTimeout} ms`)
      this.#body.cancel()
    })
  }

  /** Whether the terminal event has come. */
  get complete(): boolean {
    return this.#complete
  }

  /**
   * The data of the next event.
   * @throws StreamTruncatedError when the body fails or ends
   * @throws TimeoutError when no event comes within the deadline
   */
  async next(): Promise<Uint8Array> {
    for (;;) {
      const data = this.#queue[this.#next]
      if (data !== undefined) {
        this.#next += 1
        this.#events += 1
        return data
      }
      if (this.#ended) throw this.truncated(`it ended before ${this.#terminal}`)
      await this.#fill()
    }
  }

  /**
   * Reads events until one has what is looked for. All of them are read again later. A failure gives the body up.
   * @throws what {@link EventSource.next} and {@link EventSource.parse} throw, and `look`
   */
  async lookAhead<Found>(look: (event: StreamEvent) => Found | undefined): Promise<Found> {
    const seen: Uint8Array[] = []
    try {
      for (;;) {
        const data = await this.next()
        seen.push(data)
        const found = look(this.parse(data))
        if (found === undefined) continue
        this.#queue.splice(0, this.#next, ...seen)
        this.#next = 0
        this.#events = 0
        this.rest()
        return found
      }
    } catch (error) {
      this.cancel()
      throw this.#named(error)
    }
  }

  /** What `take` makes of the data of each event, up to the terminal one. Leaving it, and any failure, gives the body up. */
  read<Item>(take: (data: Uint8Array) => Item | undefined): AsyncGenerator<Item, void, undefined> {
    return cancellable(this.#read(take), () => this.cancel())
  }

  async *#read<Item>(take: (data: Uint8Array) => Item | undefined): AsyncGenerator<Item, void, undefined> {
    try {
      while (!this.#complete) {
        const item = take(await this.next())
        if (item !== undefined) yield item
      }
    } catch (error) {
      throw this.#named(error)
    } finally {
      if (!this.#complete) this.cancel()
    }
  }

  /**
   * The event of some data.
   * @throws StreamFailedError for an `error` event, nested or flat (interface: Errors)
   * @throws ProtocolError when it is no event
   */
  parse(data: Uint8Array): StreamEvent {
    const event = parseEvent(data)
    if (event.type !== 'error') return event
    const { code, message } = errorFields(event, this.#body.redact)
    throw new StreamFailedError(message ?? code ?? 'no message', { code })
  }

  /** The terminal event has come: the connection may be used again. */
  finish(): void {
    this.#complete = true
    this.rest()
    this.#body.release()
  }

  /** No event is expected until somebody reads on: no timer stays. */
  rest(): void {
    this.#timer?.stop()
  }

  /** Gives up the rest of the body. */
  cancel(): void {
    this.rest()
    this.#body.cancel()
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

  #named(error: unknown): unknown {
    if (SvcAudioError.isInstance(error)) error.requestId ??= this.#body.requestId
    return error
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
        this.#queue = this.#decoder.feed(value).filter(hasData)
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
    if (data === undefined || !hasData(data)) return []
    try {
      parseEvent(data)
    } catch (error) {
      if (error instanceof ProtocolError) throw this.truncated('it ended within an event', error)
      throw error
    }
    return [data]
  }
}

/** An empty `data:` line is a heartbeat. */
function hasData(data: Uint8Array): boolean {
  return data.length > 0
}
