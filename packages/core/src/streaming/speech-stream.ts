import { frameBytes, type PcmFormat, pcmFormatFault } from '../audio/index.ts'
import { ProtocolError, StreamTruncatedError, type SvcAudioErrorOptions } from '../errors.ts'
import { type ApiResponse, cancellable, type EventDeadline } from '../transport/index.ts'
import type { FileAccess } from '../uploads/index.ts'
import { type EventBody, EventSource } from './event-source.ts'
import { PcmAudio, type PcmSource } from './pcm-audio.ts'
import { decodeDelta, fastDelta, type StreamEvent } from './sse-decoder.ts'

/** Speech while it is synthesized. A stream without its terminal event throws `StreamTruncatedError`. */
export class SpeechStream extends PcmAudio {
  /** The task of the stream, if the service named it first. */
  readonly taskId: string | undefined
  /** The response's `x-request-id`. */
  readonly requestId: string | undefined
  readonly #source: SpeechSource

  constructor(source: SpeechSource, files?: FileAccess) {
    super('speech', source, files)
    this.taskId = source.taskId
    this.requestId = source.requestId
    this.#source = source
  }

  /**
   * Reads server-sent events until the format is known.
   * @throws StreamFailedError if the service reports a failure
   * @throws StreamTruncatedError if the stream ends before
   * @throws TimeoutError if no event arrives before the deadline, here or while it is read
   * @throws ProtocolError if the format is not PCM or is invalid, or audio comes before it
   */
  static async open(body: EventBody, deadline?: EventDeadline, files?: FileAccess): Promise<SpeechStream> {
    return new SpeechStream(await SseSpeechSource.open(body, deadline), files)
  }

  /**
   * Reads raw PCM.
   * @throws ProtocolError if an `X-` header of the format is absent or invalid
   */
  static raw(response: ApiResponse, files?: FileAccess): SpeechStream {
    return new SpeechStream(new RawSpeechSource(response), files)
  }

  /**
   * Every event unchanged, unknown types too, from the first to `speech.audio.done`. An `error` event throws
   * `StreamFailedError`.
   * @throws TypeError for raw PCM, which has no events. The PCM can still be read.
   */
  events(): AsyncGenerator<StreamEvent, void, undefined> {
    return this.take(() => this.#source.events())
  }
}

/** A speech stream behind `SpeechStream`: server-sent events, or raw PCM. */
interface SpeechSource extends PcmSource {
  readonly taskId: string | undefined
  readonly requestId: string | undefined
  /** Every event, from the first one. */
  events(): AsyncGenerator<StreamEvent, void, undefined>
}

const CREATED = 'speech.created'
const DELTA = 'speech.audio.delta'
const DONE = 'speech.audio.done'

const NOTHING = new Uint8Array(0)

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

  /** Reads events until the format is known. Throws as `SpeechStream.open` does. */
  static async open(body: EventBody, deadline?: EventDeadline): Promise<SseSpeechSource> {
    const events = new EventSource(body, DONE, deadline)
    let taskId: string | undefined
    const format = await events.lookAhead((event) => {
      const { type, task_id: task } = event
      if (type === 'task.created' && typeof task === 'string') taskId ??= task
      if (needsFormat(event)) throw new ProtocolError(`${type} came before ${CREATED}`)
      return type === CREATED ? readFormat(event) : undefined
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
    if (event.type === CREATED) {
      const same = JSON.stringify(readFormat(event)) === JSON.stringify(this.format)
      if (!same) throw new ProtocolError(`${CREATED} changed the format`)
    }
    return NOTHING
  }
}

function readFormat({ format, sample_rate: sampleRate, channels, bit_depth: bitDepth }: StreamEvent): PcmFormat {
  if (format !== 'pcm') throw new ProtocolError(`${CREATED} has the format ${JSON.stringify(format)}, not pcm`)
  const values = { sampleRate, channels, bitDepth }
  checkFormat(values, CREATED)
  return values
}

/** Empty audio is ignored wherever it comes (interface: `speech.audio.delta`). */
function needsFormat({ type, audio }: StreamEvent): boolean {
  return type === DONE || (type === DELTA && audio !== '')
}

/**
 * Speech as raw PCM. Its end proves nothing (interface: "end-of-stream alone does not prove completeness"), so
 * `complete` stays false. A failed connection and half a frame still throw.
 */
class RawSpeechSource implements SpeechSource {
  readonly format: PcmFormat
  readonly taskId = undefined
  readonly complete = false
  readonly requestId: string | undefined
  readonly #response: ApiResponse

  /** @throws ProtocolError if an `X-` header of the format is absent or invalid */
  constructor(response: ApiResponse) {
    this.#response = response
    this.requestId = response.requestId
    const { headers } = response
    const values = {
      sampleRate: wholeNumber(headers['x-sample-rate']),
      channels: wholeNumber(headers['x-channels']),
      bitDepth: wholeNumber(headers['x-bit-depth']),
    }
    try {
      checkFormat(values, 'PCM with X- headers', response)
    } catch (error) {
      response.cancel()
      throw error
    }
    this.format = values
  }

  pcm(): AsyncGenerator<Uint8Array, void, undefined> {
    return cancellable(this.#pcm(), () => this.cancel())
  }

  async *#pcm(): AsyncGenerator<Uint8Array, void, undefined> {
    const aligner = new FrameAligner(frameBytes(this.format))
    let bytes = 0
    for await (const chunk of this.#response) {
      bytes += chunk.byteLength
      const frames = aligner.push(chunk)
      if (frames.byteLength > 0) yield frames
    }
    if (aligner.pendingBytes > 0) {
      const message = `The audio ended in half a frame after ${bytes} bytes`
      throw new StreamTruncatedError(message, { bytes, requestId: this.requestId })
    }
  }

  events(): AsyncGenerator<StreamEvent, void, undefined> {
    throw new TypeError('Raw PCM has no events: leave stream_format out')
  }

  cancel(): void {
    this.#response.cancel()
  }
}

/** Anything but a whole number stays text, for the message. */
function wholeNumber(value: string | undefined): number | string | undefined {
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : value
}

/**
 * Checks that values of the service are a PCM format.
 * @param where Source of the values, for the message
 * @throws ProtocolError naming the problem
 */
function checkFormat(
  values: Readonly<Record<keyof PcmFormat, unknown>>,
  where: string,
  options?: SvcAudioErrorOptions,
): asserts values is PcmFormat {
  const fault = pcmFormatFault(values)
  if (fault !== undefined) throw new ProtocolError(`${where} has no usable format: ${fault}`, options)
}

/** Cuts a PCM stream at whole frames. The rest of a chunk is joined with the next one. */
export class FrameAligner {
  readonly #frameBytes: number
  #rest: Uint8Array = NOTHING

  /** @param size Bytes of one frame */
  constructor(size: number) {
    this.#frameBytes = size
  }

  /** Returns the whole frames that are available now. Empty if there is none. */
  push(chunk: Uint8Array): Uint8Array {
    let bytes = chunk
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + chunk.length)
      bytes.set(this.#rest)
      bytes.set(chunk, this.#rest.length)
    }
    const whole = bytes.length - (bytes.length % this.#frameBytes)
    if (whole === bytes.length) {
      this.#rest = NOTHING
      return bytes
    }
    // A copy, so a few bytes do not retain the whole chunk. `slice` of a Buffer does not copy.
    this.#rest = new Uint8Array(bytes.subarray(whole))
    return bytes.subarray(0, whole)
  }

  /** Bytes of an unfinished frame: 0 at the end of a complete stream. */
  get pendingBytes(): number {
    return this.#rest.length
  }
}
