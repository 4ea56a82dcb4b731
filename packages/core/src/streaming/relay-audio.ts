import { ProtocolError } from '../errors/service-errors.ts'
import { cancellable } from '../transport/cancellable.ts'
import type { AudioBody } from './audio-body.ts'

/** Audio to relay. */
export interface RelayedAudio {
  /** MIME type: audio, video, Ogg, or plain bytes. */
  readonly contentType: string
  /** Length in bytes, if the service announced it. */
  readonly contentLength: number | undefined
  /** All of the audio. Leaving the iteration closes the connection at once. */
  readonly chunks: AsyncGenerator<Uint8Array, void, undefined>
}

/** Accepted media types. mp4, webm and Ogg are containers, so their types may not begin with `audio/`. */
const AUDIO_TYPE = /^(?:(?:audio|video)\/[\w.+-]+|application\/(?:ogg|octet-stream))$/

/**
 * Prepares audio for a relay. It waits for the first bytes, because a server can still answer an earlier failure with
 * an error. It refuses anything but audio: otherwise a page with scripts could appear under the relaying server's
 * origin.
 *
 * @throws ProtocolError if the response is not audio
 * @throws the error of reading the audio
 */
export async function relayAudio(audio: AudioBody): Promise<RelayedAudio> {
  const { contentType, contentLength } = audio
  if (!AUDIO_TYPE.test(contentType)) {
    audio.cancel()
    throw new ProtocolError('The service answered a request for speech with something else than audio')
  }
  const rest = audio[Symbol.asyncIterator]()
  const first = await rest.next()
  return { contentType, contentLength, chunks: cancellable(resume(first, rest), () => void rest.return()) }
}

async function* resume(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value
}
