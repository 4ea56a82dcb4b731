import {
  decodeDelta,
  fastDelta,
  FrameAligner,
  frameBytes,
  parseEvent,
  type PcmFormat,
  pcmFormatFault,
  SseDecoder,
  type StreamEvent,
} from '@svc-audio/core/streaming'
import type { SpeakRequest } from '../../shared/api.ts'
import { jsonPost, request, RequestError } from './request.ts'

/** A piece of a speech stream: its format first, then PCM in whole frames. */
export type SpeechPiece =
  | { readonly type: 'format'; readonly format: PcmFormat }
  | { readonly type: 'audio'; readonly pcm: Uint8Array }

/**
 * Speaks a text and gives the audio while it is made. It ends only when the service has said that the audio is whole
 * (interface: `speech.audio.done`).
 * @throws RequestError when the request is refused, fails, or the stream is cut; the signal's reason when it aborts
 */
export async function* streamSpeech(
  body: SpeakRequest,
  signal: AbortSignal,
): AsyncGenerator<SpeechPiece, void, undefined> {
  const response = await request('/api/speech', jsonPost(body, signal))
  let aligner: FrameAligner | undefined
  for await (const data of eventsOf(response, signal)) {
    const quick = fastDelta(data)
    const event = quick === undefined ? parseEvent(data) : undefined
    if (event?.type === 'speech.audio.done') return
    if (event?.type === 'error') throw new RequestError(failureOf(event))
    if (event?.type === 'speech.created') {
      const format = formatOf(event)
      aligner = new FrameAligner(frameBytes(format))
      yield { type: 'format', format }
    }
    const audio = quick ?? (event?.type === 'speech.audio.delta' ? decodeDelta(event['audio']) : undefined)
    if (audio === undefined || audio.length === 0) continue
    if (aligner === undefined) throw new RequestError('The stream began without saying its format')
    const pcm = aligner.push(audio)
    if (pcm.length > 0) yield { type: 'audio', pcm }
  }
  throw new RequestError('The stream was cut before the speech was complete')
}

/** The data of every event of an answer. Leaving it early gives the rest up. */
async function* eventsOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return
  const reader = body.getReader()
  const decoder = new SseDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        signal.throwIfAborted()
        throw new RequestError('The connection was lost while the speech arrived', { cause: error })
      })
      if (done) break
      yield* decoder.feed(value)
    }
    const last = decoder.end()
    if (last !== undefined) yield last
  } finally {
    // It may have failed already, which has been said.
    await reader.cancel().catch(() => {})
  }
}

function formatOf(event: StreamEvent): PcmFormat {
  const { sample_rate: sampleRate, channels, bit_depth: bitDepth } = event
  const format = { sampleRate: Number(sampleRate), channels: Number(channels), bitDepth: Number(bitDepth) }
  const fault = pcmFormatFault(format)
  if (fault !== undefined) throw new RequestError(`The stream has an unusable format: ${fault}`)
  return format
}

function failureOf({ error }: StreamEvent): string {
  const message: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : undefined
  return typeof message === 'string' ? message : 'The speech failed while it was made'
}
