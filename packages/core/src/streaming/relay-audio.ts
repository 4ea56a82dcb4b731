import { ProtocolError } from '../errors/service-errors.ts'
import { cancellable } from '../transport/cancellable.ts'
import type { AudioBody } from './audio-body.ts'

/** Audio that is about to be passed on. */
export interface RelayedAudio {
  /** MIME type; one of audio or video, Ogg, or plain bytes. */
  readonly contentType: string
  /** Length in bytes, where the service announced it. */
  readonly contentLength: number | undefined
  /** All of the audio. Leaving it frees the connection at once. */
  readonly chunks: AsyncGenerator<Uint8Array, void, undefined>
}

/** What audio comes as; mp4, webm and Ogg are containers and may say so. */
const AUDIO_TYPE = /^(?:(?:audio|video)\/[\w.+-]+|application\/(?:ogg|octet-stream))$/

/**
 * Makes audio ready to be passed on to somebody else: waits for its first bytes, since a failure until then can still
 * be answered otherwise, and refuses what is no audio. Passing on whatever comes would let a page through, with
 * scripts, under the name of the server that passes it on.
 *
 * @throws ProtocolError when it is something else than audio
 * @throws what reading the audio throws
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
