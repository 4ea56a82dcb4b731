import { ProtocolError } from '../errors/protocol-error.ts'
import { StreamTruncatedError } from '../errors/stream-truncated-error.ts'
import type { ApiResponse } from '../transport/api-response.ts'
import { leavable } from '../transport/leavable.ts'
import type { StreamEvent } from './event-data.ts'
import { FrameAligner } from './frame-aligner.ts'
import { frameBytes, type PcmFormat, pcmFormatFault } from './pcm-format.ts'
import type { SpeechSource } from './speech-source.ts'

/**
 * Speech as raw PCM. Its end proves nothing (interface: "end-of-stream alone does not prove completeness"), so
 * `complete` stays false; a failed connection and half a frame still throw.
 */
export class RawSpeechSource implements SpeechSource {
  readonly format: PcmFormat
  readonly taskId = undefined
  readonly complete = false
  readonly requestId: string | undefined
  readonly #response: ApiResponse

  /** @throws ProtocolError when an `X-` header of the format is absent or impossible */
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
    return leavable(this.#pcm(), () => this.cancel())
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
    throw new TypeError("Raw PCM has no events: leave stream_format out, or set it to 'sse'")
  }

  cancel(): void {
    this.#response.cancel()
  }
}

function readFormat(response: ApiResponse): PcmFormat {
  const format = {
    sampleRate: header(response, 'x-sample-rate'),
    channels: header(response, 'x-channels'),
    bitDepth: header(response, 'x-bit-depth'),
  }
  const fault = pcmFormatFault(format)
  if (fault !== undefined) throw new ProtocolError(`The headers of the PCM stream are unusable: ${fault}`)
  return format
}

function header(response: ApiResponse, name: string): number {
  const value = response.headers[name]
  if (value === undefined || !/^\d+$/.test(value)) {
    throw new ProtocolError(
      `The header ${name} of the PCM stream is ${value === undefined ? 'absent' : 'not a number'}`,
    )
  }
  return Number(value)
}
