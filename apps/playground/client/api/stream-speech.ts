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
 * Speaks a text and yields its audio during synthesis. It ends normally only after the service confirms complete audio
 * with `speech.audio.done`.
 * @throws RequestError when the request is refused or fails, or the stream is cut; the signal's reason after an abort
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
    if (aligner === undefined) throw new RequestError('The stream sent audio before its format')
    const pcm = aligner.push(audio)
    if (pcm.length > 0) yield { type: 'audio', pcm }
  }
  throw new RequestError('The stream was cut before the speech was complete')
}

/** Yields the data of every event. A break cancels the rest of the answer. */
async function* eventsOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return
  const reader = body.getReader()
  const decoder = new SseDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        signal.throwIfAborted()
        throw new RequestError('The connection was lost before the speech was complete', { cause: error })
      })
      if (done) break
      yield* decoder.feed(value)
    }
    const last = decoder.end()
    if (last !== undefined) yield last
  } finally {
    // A failed reader rejects here too. The loop has thrown that error already.
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
  return typeof message === 'string' ? message : 'The synthesis failed'
}
