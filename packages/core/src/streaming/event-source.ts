import { ProtocolError, StreamFailedError, StreamTruncatedError, SvcAudioError, TimeoutError } from '../errors.ts'
import {
  cancellable,
  errorFields,
  type EventDeadline,
  IdleTimer,
  type Redact,
  type ResponseBody,
} from '../transport/index.ts'
import { parseEvent, SseDecoder, type StreamEvent } from './sse-decoder.ts'

/** The source of events: a response body with its request id. */
export interface EventBody extends ResponseBody {
  readonly requestId: string | undefined
  /** Removes the key from a text of the service. */
  readonly redact: Redact
  /**
   * A reader asks for the next event.
   * @throws the reason of an abort, even if the event has arrived before it
   */
  touch?(): void
  /** The stream is open, and waits for a reader. */
  awaitReader?(): void
}

/**
 * Reads and counts the events of a response. The reader marks the terminal event with {@link EventSource.finish}. A
 * body that ends earlier is cut. Every error of an event has the request id.
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

  /** @param terminal Type of the terminal event, for messages */
  constructor(body: EventBody, terminal: string, deadline?: EventDeadline) {
    this.#body = body
    this.#terminal = terminal
    this.#iterator = body[Symbol.asyncIterator]()
    if (deadline === undefined) return
    const { clock, idleEventsTimeout } = deadline
    // Between two waits the timer stays set. It must not keep a stream that was dropped.
    const self = typeof WeakRef === 'undefined' ? { deref: () => this } : new WeakRef(this)
    this.#timer = new IdleTimer(clock, idleEventsTimeout, () => self.deref()?.expire(idleEventsTimeout))
  }

  /** Ends the stream: no event came in time. */
  expire(milliseconds: number): void {
    this.#expired = new TimeoutError('events', `No event came within ${milliseconds} ms`)
    this.#body.cancel()
  }

  /** Whether the terminal event has arrived. */
  get complete(): boolean {
    return this.#complete
  }

  /**
   * The data of the next event.
   * @throws StreamTruncatedError if the body fails or ends
   * @throws TimeoutError if no event arrives before the deadline
   * @throws the reason of an abort, also if more events have arrived
   */
  async next(): Promise<Uint8Array> {
    for (;;) {
      this.#body.touch?.()
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
   * Reads events until `look` finds a result. All these events are read again later. A failure cancels the body.
   * @throws the errors of {@link EventSource.next}, {@link EventSource.parse} and `look`
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
        if (!this.#ended) this.#body.awaitReader?.()
        return found
      }
    } catch (error) {
      this.cancel()
      throw this.#named(error)
    }
  }

  /**
   * Yields the result of `take` for each event, up to the terminal event. A failure, or leaving the iteration, cancels
   * the body.
   */
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
   * Parses the data of an event.
   * @throws StreamFailedError for an `error` event, nested or flat (interface: Errors)
   * @throws ProtocolError if the data is not an event
   */
  parse(data: Uint8Array): StreamEvent {
    const event = parseEvent(data)
    if (event.type !== 'error') return event
    const { code, message } = errorFields(event, this.#body.redact)
    throw new StreamFailedError(message ?? code ?? 'no message', { code })
  }

  /** Marks the terminal event. The connection can be reused. */
  finish(): void {
    this.#complete = true
    this.rest()
    this.#body.release()
  }

  /** Stops the timer until the next read. */
  rest(): void {
    this.#timer?.stop()
  }

  /** Drops the rest of the body. */
  cancel(): void {
    this.rest()
    this.#body.cancel()
  }

  /** The error for a stream that ended too soon. */
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
      // Reads several chunks per call. Most small chunks complete no event, and every call costs a promise.
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
      // A body cancelled by the deadline fails with its own error.
      if (error instanceof StreamTruncatedError) throw this.#expired ?? this.truncated('the connection failed', error)
      throw error
    }
  }

  /** A complete event without its blank line counts. A partial event is a cut. */
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
