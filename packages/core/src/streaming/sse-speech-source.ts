import { ProtocolError } from '../errors/protocol-error.ts'
import { leavable } from '../transport/leavable.ts'
import { decodeDelta, fastDelta, parseEvent, type StreamEvent } from './event-data.ts'
import { type EventBody, type EventDeadline, EventSource } from './event-source.ts'
import { FrameAligner } from './frame-aligner.ts'
import { frameBytes, type PcmFormat, pcmFormatFault } from './pcm-format.ts'
import type { SpeechSource } from './speech-source.ts'

/**
 * Speech as server-sent events (interface: Streaming speech events). Complete means `speech.audio.done` has come;
 * without it the stream throws. Events are told apart by `type` alone, whatever comes first.
 */
export class SseSpeechSource implements SpeechSource {
  readonly format: PcmFormat
  readonly requestId: string | undefined
  readonly taskId: string | undefined
  readonly #events: EventSource
  /** Events up to the one that gave the format, for {@link SseSpeechSource.events}. */
  readonly #early: readonly StreamEvent[]
  #complete = false

  private constructor(body: EventBody, events: EventSource, early: readonly StreamEvent[], format: PcmFormat) {
    this.#events = events
    this.#early = early
    this.format = format
    this.requestId = body.requestId
    const task = early.find((event) => event.type === 'task.created')?.['task_id']
    this.taskId = typeof task === 'string' ? task : undefined
  }

  /**
   * Reads until the format is known.
   * @throws StreamFailedError when the service reports a failure
   * @throws StreamTruncatedError when the stream ends before
   * @throws TimeoutError when no event comes within the deadline, here or while it is read
   * @throws ProtocolError when the format is not PCM, is impossible, or audio comes before it
   */
  static async open(body: EventBody, deadline?: EventDeadline): Promise<SseSpeechSource> {
    const events = new EventSource(body, deadline)
    const early: StreamEvent[] = []
    try {
      for (;;) {
        const data = await events.next()
        if (data === undefined) throw events.truncated('it ended before speech.created')
        const event = parseEvent(data)
        early.push(event)
        if (event.type === 'speech.created') {
          events.rest()
          return new SseSpeechSource(body, events, early, readFormat(event))
        }
        if (event.type === 'error') throw events.failed(event)
        if (needsFormat(event)) throw new ProtocolError(`${event.type} came before speech.created`)
      }
    } catch (error) {
      events.cancel()
      throw error
    }
  }

  get complete(): boolean {
    return this.#complete
  }

  pcm(): AsyncGenerator<Uint8Array, void, undefined> {
    return leavable(this.#pcm(), () => this.cancel())
  }

  async *#pcm(): AsyncGenerator<Uint8Array, void, undefined> {
    const aligner = new FrameAligner(frameBytes(this.format))
    try {
      for (;;) {
        const data = await this.#events.next()
        if (data === undefined) throw this.#events.truncated('it ended before speech.audio.done')
        const audio = fastDelta(data) ?? this.#audioOf(parseEvent(data))
        if (audio === undefined) break
        const frames = aligner.push(audio)
        if (frames.byteLength > 0) yield frames
      }
      if (aligner.pendingBytes > 0) throw this.#events.truncated('the audio ended in half a frame')
      this.#finish()
    } finally {
      if (!this.#complete) this.#events.cancel()
    }
  }

  events(): AsyncGenerator<StreamEvent, void, undefined> {
    return leavable(this.#allEvents(), () => this.cancel())
  }

  async *#allEvents(): AsyncGenerator<StreamEvent, void, undefined> {
    try {
      for (const event of this.#early) yield event
      for (;;) {
        const data = await this.#events.next()
        if (data === undefined) throw this.#events.truncated('it ended before speech.audio.done')
        const event = parseEvent(data)
        if (event.type === 'error') throw this.#events.failed(event)
        const done = event.type === 'speech.audio.done'
        if (done) this.#finish()
        yield event
        if (done) return
      }
    } finally {
      if (!this.#complete) this.#events.cancel()
    }
  }

  cancel(): void {
    this.#events.cancel()
  }

  #finish(): void {
    this.#complete = true
    this.#events.release()
  }

  /** The audio of an event, empty where it has none; `undefined` for the terminal event. */
  #audioOf(event: StreamEvent): Uint8Array | undefined {
    switch (event.type) {
      case 'speech.audio.delta':
        return decodeDelta(event['audio'])
      case 'speech.audio.done':
        return undefined
      case 'error':
        throw this.#events.failed(event)
      case 'speech.created': {
        const again = readFormat(event)
        const same = (['sampleRate', 'channels', 'bitDepth'] as const).every((key) => again[key] === this.format[key])
        if (!same) throw new ProtocolError('speech.created changed the format in mid-stream')
        return NO_AUDIO
      }
      default:
        return NO_AUDIO
    }
  }
}

const NO_AUDIO = new Uint8Array(0)

function readFormat(event: StreamEvent): PcmFormat {
  const { format, sample_rate: sampleRate, channels, bit_depth: bitDepth } = event
  if (format !== 'pcm') throw new ProtocolError(`speech.created has the format ${JSON.stringify(format)}, not pcm`)
  if (typeof sampleRate !== 'number' || typeof channels !== 'number' || typeof bitDepth !== 'number') {
    throw new ProtocolError('speech.created lacks sample_rate, channels or bit_depth')
  }
  const pcm = { sampleRate, channels, bitDepth }
  const fault = pcmFormatFault(pcm)
  if (fault !== undefined) throw new ProtocolError(`speech.created: ${fault}`)
  return pcm
}

/** Empty audio is ignored wherever it comes (interface: `speech.audio.delta`). */
function needsFormat(event: StreamEvent): boolean {
  return event.type === 'speech.audio.done' || (event.type === 'speech.audio.delta' && event['audio'] !== '')
}
