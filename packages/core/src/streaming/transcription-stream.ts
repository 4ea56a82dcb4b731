import { ProtocolError } from '../errors.ts'
import { cancellable, type EventDeadline } from '../transport/index.ts'
import type { TranscriptionStreamEvent, TranscriptSegmentDoneEvent, TranscriptTextDoneEvent } from '../wire/index.ts'
import { type EventBody, EventSource } from './event-source.ts'
import type { StreamEvent } from './sse-decoder.ts'

/** Usage of a transcription stream (interface: `transcript.text.done`). */
export type TranscriptionUsage = NonNullable<TranscriptTextDoneEvent['usage']>

/** Maximum characters of text and segments to store. A transcript of a day has about a million. */
const MAX_KEPT_CHARACTERS = 64 * 1024 * 1024

/**
 * A transcription while it is recognized (interface: Transcription events). Iterate it for its events, or read it as
 * pieces of text or as the whole text. It can be read once. It is complete or it throws: a stream without
 * `transcript.text.done` throws `StreamTruncatedError`, an `error` event throws `StreamFailedError`. Leaving the
 * iteration early ends the request. Events are identified by `type` alone, in any order.
 */
export class TranscriptionStream implements AsyncIterable<TranscriptionStreamEvent> {
  /** The response's `x-request-id`. */
  readonly requestId: string | undefined
  readonly #events: EventSource
  readonly #segments: TranscriptSegmentDoneEvent[] = []
  #deltas = ''
  #kept = 0
  #taskId: string | undefined
  #done: TranscriptTextDoneEvent | undefined
  #taken = false

  private constructor(body: EventBody, events: EventSource, first: StreamEvent) {
    this.requestId = body.requestId
    this.#events = events
    this.#noteTask(first)
  }

  /**
   * Waits for the first event of any type. A stream that fails at once fails here.
   * @throws StreamFailedError if the service reports a failure
   * @throws StreamTruncatedError if the stream ends before
   * @throws TimeoutError if no event arrives before the deadline, here or while it is read
   * @throws ProtocolError if an event breaks the interface
   */
  static async open(body: EventBody, deadline?: EventDeadline): Promise<TranscriptionStream> {
    const events = new EventSource(body, 'transcript.text.done', deadline)
    return new TranscriptionStream(body, events, await events.lookAhead(checkTexts))
  }

  /** The task of the stream. Set when `task.created` is read, usually the first event. */
  get taskId(): string | undefined {
    return this.#taskId
  }

  /** Every segment read so far. */
  get segments(): readonly TranscriptSegmentDoneEvent[] {
    return this.#segments
  }

  /** Usage, set when the stream is complete and the service reports it. */
  get usage(): TranscriptionUsage | undefined {
    return this.#done?.usage ?? undefined
  }

  /** Whether `transcript.text.done` was read. */
  get complete(): boolean {
    return this.#events.complete
  }

  /** The events that the interface documents, up to `transcript.text.done`. */
  [Symbol.asyncIterator](): AsyncGenerator<TranscriptionStreamEvent, void, undefined> {
    return this.#select(async function* known(all) {
      for await (const event of all) if (isDocumented(event)) yield event
    })
  }

  /** Every event unchanged, unknown types too, from the first to `transcript.text.done`. */
  events(): AsyncGenerator<StreamEvent, void, undefined> {
    return this.#take()
  }

  /** The text in pieces as they arrive. In one piece at the end, if the service sends no pieces. */
  deltas(): AsyncGenerator<string, void, undefined> {
    const whole = (): string => this.#text()
    return this.#select(async function* texts(all) {
      let length = 0
      for await (const event of all) {
        const last = event.type === 'transcript.text.done' && length === 0
        const text = last ? whole() : is(event, 'transcript.text.delta') ? event.delta : ''
        length += text.length
        if (text !== '') yield text
      }
    })
  }

  /**
   * The full text: that of `transcript.text.done`, or else all pieces joined. Reads the stream to its end. It also
   * works after the stream was read to its end in another way.
   */
  async text(): Promise<string> {
    if (!this.complete) for await (const event of this.events()) void event
    return this.#text()
  }

  /** Ends the request without reading the rest. */
  cancel(): void {
    this.#taken = true
    this.#events.cancel()
  }

  /** As `cancel()`, for `await using`. Does nothing after the end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel()
  }

  #text(): string {
    return this.#done?.text || this.#deltas
  }

  #take(): AsyncGenerator<StreamEvent, void, undefined> {
    if (this.#taken) throw new TypeError('This transcription was already taken')
    this.#taken = true
    return this.#events.read((data) => this.#note(checkTexts(this.#events.parse(data))))
  }

  #select<Item>(
    select: (all: AsyncGenerator<StreamEvent, void, undefined>) => AsyncGenerator<Item, void, undefined>,
  ): AsyncGenerator<Item, void, undefined> {
    const all = this.#take()
    return cancellable(select(all), () => void all.return())
  }

  /** Stores the values of the getters. */
  #note(event: StreamEvent): StreamEvent {
    this.#noteTask(event)
    if (is(event, 'transcript.text.delta')) this.#deltas += this.#keep(event.delta)
    else if (is(event, 'transcript.segment.done')) {
      this.#keep(event.text)
      this.#segments.push(event)
    } else if (is(event, 'transcript.text.done')) {
      this.#done = event
      this.#events.finish()
    }
    return event
  }

  #noteTask(event: StreamEvent): void {
    if (is(event, 'task.created')) this.#taskId = typeof event.task_id === 'string' ? event.task_id : undefined
  }

  #keep(text: string): string {
    // One more each, since an empty text takes space too.
    this.#kept += text.length + 1
    if (this.#kept > MAX_KEPT_CHARACTERS) {
      throw new ProtocolError(`The service answered with over ${MAX_KEPT_CHARACTERS} characters`)
    }
    return text
  }
}

type EventType = TranscriptionStreamEvent['type']

/** The documented types, with the field of their text. */
const TEXTS: Readonly<Record<string, string>> = {
  'task.created': '',
  'transcript.text.delta': 'delta',
  'transcript.segment.done': 'text',
  'transcript.text.done': 'text',
}

function isDocumented(event: StreamEvent): event is StreamEvent & TranscriptionStreamEvent {
  return Object.hasOwn(TEXTS, event.type)
}

function is<Type extends EventType>(
  event: StreamEvent,
  type: Type,
): event is StreamEvent & Extract<TranscriptionStreamEvent, { type: Type }> {
  return event.type === type
}

/** Only the terminal event may have no text (interface: `transcript.text.done`, "may be carried"). */
function checkTexts(event: StreamEvent): StreamEvent {
  const field = isDocumented(event) ? TEXTS[event.type] : ''
  if (!field) return event
  const text = event[field] ?? (event.type === 'transcript.text.done' ? '' : undefined)
  if (typeof text !== 'string') throw new ProtocolError(`A ${event.type} event has no ${field}`)
  return event
}
