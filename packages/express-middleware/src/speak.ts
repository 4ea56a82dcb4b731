import type { PureAudioClient, SpeechCreateBody } from '@svc-audio/core'
import { disconnectSignal } from '@svc-audio/upload'
import type { Request, RequestHandler } from 'express'
import { sendAudio } from './send-audio.ts'

/** Fields of the speech, by their names on the wire. */
type SpeechFields = Omit<SpeechCreateBody, 'model' | 'input'>

/** Options of {@link speak}. */
export interface SpeakOptions extends SpeechFields {
  /** An `AudioClient`. It stays the caller's to close. */
  readonly client: PureAudioClient
  /** @default 'svc-tts-1.5-flash' */
  readonly model?: SpeechCreateBody['model']
  /** The text to speak. @default the field `text` of the request's body, else of its query */
  readonly text?: (request: Request) => string | Promise<string>
  /**
   * Fields that differ from request to request; they win over the fixed ones. Check what comes from the caller: voices
   * and models cost money.
   */
  readonly body?: (request: Request) => Partial<SpeechCreateBody> | Promise<Partial<SpeechCreateBody>>
  /** Deadline for the whole call to the service, the audio included, in milliseconds. @default the client's */
  readonly timeout?: number
}

/**
 * A handler that answers with the text spoken, sent on while the service makes it. When the browser leaves, the call to
 * the service is aborted. A failure before the first audio goes to the error middleware, for which {@link audioErrors} is
 * made; after it, the connection is cut, so that a browser never takes a part for the whole.
 *
 * @example
 * app.post('/speak', express.json(), speak({ client, voice_id: 'rms' }))
 */
export function speak(options: SpeakOptions): RequestHandler {
  const { client, model = 'svc-tts-1.5-flash', text = defaultText, body, timeout, ...fields } = options
  return async (request, response) => {
    const signal = disconnectSignal(response)
    const audio = await client.speech.create(
      { ...fields, model, input: await text(request), ...(await body?.(request)) },
      { signal, ...(timeout === undefined ? {} : { timeout }) },
    )
    await sendAudio(response, audio, signal)
  }
}

/** Whatever is no text counts as none, which the client refuses. */
function defaultText(request: Request): string {
  const body: unknown = request.body
  const fromBody: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'text') : undefined
  const text = fromBody ?? request.query['text']
  return typeof text === 'string' ? text : ''
}
