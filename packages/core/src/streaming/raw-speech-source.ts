import { StreamTruncatedError } from '../errors/stream-errors.ts'
import type { ApiResponse } from '../transport/api-response.ts'
import { cancellable } from '../transport/request-scope.ts'
import type { StreamEvent } from './sse-decoder.ts'
import { FrameAligner } from './frame-aligner.ts'
import { checkPcmFormat, frameBytes, type PcmFormat } from '../audio/pcm-format.ts'
import type { SpeechSource } from './speech-stream.ts'

/**
 * Speech as raw PCM. Its end proves nothing (interface: "end-of-stream alone does not prove completeness"), so
 * `complete` stays false. A failed connection and half a frame still throw.
 */
export class RawSpeechSource implements SpeechSource {
  readonly format: PcmFormat
  readonly taskId = undefined
  readonly complete = false
  readonly requestId: string | undefined
  readonly #response: ApiResponse

  /** @throws ProtocolError if an `X-` header of the format is absent or invalid */
  constructor(response: ApiResponse) {
    this.#response = response
    this.requestId = response.requestId
    try {
      this.format = readFormat(response)
    } catch (error) {
      response.cancel()
      throw error
    }
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

function readFormat(response: ApiResponse): PcmFormat {
  const { headers } = response
  const values = {
    sampleRate: wholeNumber(headers['x-sample-rate']),
    channels: wholeNumber(headers['x-channels']),
    bitDepth: wholeNumber(headers['x-bit-depth']),
  }
  checkPcmFormat(values, 'PCM with X- headers', response)
  return values
}

/** Anything but a whole number stays text, for the message. */
function wholeNumber(value: string | undefined): number | string | undefined {
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : value
}
