import { ProtocolError } from '../errors/service-errors.ts'
import { decodeDelta, fastDelta, type StreamEvent } from './sse-decoder.ts'
import { type EventBody, type EventDeadline, EventSource } from './event-source.ts'
import { FrameAligner } from './frame-aligner.ts'
import { checkPcmFormat, frameBytes, type PcmFormat } from '../audio/pcm-format.ts'
import type { SpeechSource } from './speech-stream.ts'

/**
 * Speech as server-sent events (interface: Streaming speech events). `speech.audio.done` makes it complete. Without
 * that event the stream throws. Events are identified by `type` alone, in any order.
 */
export class SseSpeechSource implements SpeechSource {
  readonly format: PcmFormat
  readonly requestId: string | undefined
  readonly taskId: string | undefined
  readonly #events: EventSource

  private constructor(body: EventBody, events: EventSource, format: PcmFormat, taskId: string | undefined) {
    this.#events = events
    this.format = format
    this.requestId = body.requestId
    this.taskId = taskId
  }

  /**
   * Reads events until the format is known.
   * @throws StreamFailedError if the service reports a failure
   * @throws StreamTruncatedError if the stream ends before
   * @throws TimeoutError if no event arrives before the deadline, here or while it is read
   * @throws ProtocolError if the format is not PCM or is invalid, or audio comes before it
   */
  static async open(body: EventBody, deadline?: EventDeadline): Promise<SseSpeechSource> {
    const events = new EventSource(body, DONE, deadline)
    let taskId: string | undefined
    const format = await events.lookAhead((event) => {
      const { type, task_id: task } = event
      if (type === 'task.created' && typeof task === 'string') taskId ??= task
      if (needsFormat(event)) throw new ProtocolError(`${type} came before speech.created`)
      return type === 'speech.created' ? readFormat(event) : undefined
    })
    return new SseSpeechSource(body, events, format, taskId)
  }

  get complete(): boolean {
    return this.#events.complete
  }

  pcm(): AsyncGenerator<Uint8Array, void, undefined> {
    const aligner = new FrameAligner(frameBytes(this.format))
    return this.#events.read((data) => {
      const audio = fastDelta(data) ?? this.#audioOf(this.#events.parse(data))
      if (audio === undefined) {
        if (aligner.pendingBytes > 0) throw this.#events.truncated('the audio ended in half a frame')
        this.#events.finish()
        return undefined
      }
      const frames = aligner.push(audio)
      return frames.byteLength > 0 ? frames : undefined
    })
  }

  events(): AsyncGenerator<StreamEvent, void, undefined> {
    return this.#events.read((data) => {
      const event = this.#events.parse(data)
      if (event.type === DONE) this.#events.finish()
      return event
    })
  }

  cancel(): void {
    this.#events.cancel()
  }

  /** The audio of an event, empty if it has none. `undefined` for the terminal event. */
  #audioOf(event: StreamEvent): Uint8Array | undefined {
    if (event.type === DONE) return undefined
    if (event.type === DELTA) return decodeDelta(event['audio'])
    if (event.type === 'speech.created') {
      const same = JSON.stringify(readFormat(event)) === JSON.stringify(this.format)
      if (!same) throw new ProtocolError('speech.created changed the format')
    }
    return NO_AUDIO
  }
}

const DELTA = 'speech.audio.delta'
const DONE = 'speech.audio.done'

const NO_AUDIO = new Uint8Array(0)

function readFormat({ format, sample_rate: sampleRate, channels, bit_depth: bitDepth }: StreamEvent): PcmFormat {
  if (format !== 'pcm') throw new ProtocolError(`speech.created has the format ${JSON.stringify(format)}, not pcm`)
  const values = { sampleRate, channels, bitDepth }
  checkPcmFormat(values, 'speech.created')
  return values
}

/** Empty audio is ignored wherever it comes (interface: `speech.audio.delta`). */
function needsFormat({ type, audio }: StreamEvent): boolean {
  return type === DONE || (type === DELTA && audio !== '')
}
