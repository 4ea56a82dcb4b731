import { type AudioBody, type SpeechStream, SvcAudioError } from '@svc-audio/core'
import { relayAudio } from '@svc-audio/core/adapter'
import { toGatewayError } from '../audio-gateway-error.ts'
import { audioHeaders, pcmHeaders, type RelayHeaders } from '../relay-headers.ts'

/** Head of a response with audio. */
export interface AudioResponseInit {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** @default 200 */
  readonly status?: number
  /** More headers. */
  readonly headers?: RelayHeaders
}

/**
 * A response with audio, sent while it arrives, at the client's pace. It resolves with the first bytes: an earlier failure
 * still gets an error response. A later failure breaks the body, so a client never mistakes a part for the whole. A
 * canceled body closes the call.
 * @throws AudioGatewayError when the service sent no audio or failed
 * @throws ClientDisconnectedError when the client disconnected
 */
export async function audioResponse(
  audio: AudioBody,
  { signal, status = 200, headers = {} }: AudioResponseInit,
): Promise<Response> {
  return started(signal, async () => {
    const { contentType, contentLength, chunks } = await relayAudio(audio)
    const named = { ...audioHeaders({ contentType, contentLength }), ...headers }
    return new Response(bodyOf(chunks, signal), { status, headers: named })
  })
}

/** A response with the raw PCM of a speech stream. Its format is in `X-Sample-Rate`, `X-Channels` and `X-Bit-Depth`. */
export async function pcmResponse(speech: SpeechStream, signal: AbortSignal): Promise<Response> {
  return started(signal, async () => {
    const chunks = speech[Symbol.asyncIterator]()
    const first = await chunks.next()
    return new Response(bodyOf(chunks, signal, first), { headers: pcmHeaders(speech.format) })
  })
}

async function started(signal: AbortSignal, start: () => Promise<Response>): Promise<Response> {
  try {
    return await start()
  } catch (error) {
    throw failureOf(error, signal)
  }
}

/** The client library's error is more specific than the abort, which happens at every end of a connection. */
function failureOf(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted && !SvcAudioError.isInstance(error) ? signal.reason : toGatewayError(error)
}

function bodyOf(
  chunks: AsyncIterator<Uint8Array, void>,
  signal: AbortSignal,
  first?: IteratorResult<Uint8Array, void>,
): ReadableStream<Uint8Array> {
  let ready = first
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done = false, value } = ready ?? (await chunks.next())
          ready = undefined
          if (done || value === undefined) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          controller.error(failureOf(error, signal))
        }
      },
      async cancel() {
        await chunks.return?.()
      },
    },
    // Nothing is read ahead of the client.
    { highWaterMark: 0 },
  )
}
