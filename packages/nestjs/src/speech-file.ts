import { Readable } from 'node:stream'
import { Logger, StreamableFile } from '@nestjs/common'
import { type AudioBody, relayAudio } from '@svc-audio/core'
import { ClientDisconnectedError } from '@svc-audio/upload'

/** Options of {@link speechFile}. */
export interface SpeechFileOptions {
  /** The `Content-Disposition` header, e.g. `attachment; filename="speech.mp3"`. @default none: a browser plays it */
  readonly disposition?: string
}

const logger = new Logger('speechFile')

/**
 * What a route returns to answer with audio, sent on while the service makes it, with its type, and its length where
 * that is known. It waits for the first bytes, so that what fails until then can still be answered by an exception
 * filter. A failure after them cuts the connection, so that nobody takes a part for the whole. When the client leaves,
 * the call to the service is aborted; before the first bytes, only `@DisconnectSignal()` can tell.
 *
 * @throws ProtocolError when the service sent something else than audio
 * @throws what the call and reading its audio throw
 *
 * @example
 * return speechFile(this.audio.speech.create({ model, input, voice_id }, { signal }))
 */
export async function speechFile(
  audio: AudioBody | Promise<AudioBody>,
  { disposition }: SpeechFileOptions = {},
): Promise<StreamableFile> {
  const { contentType, contentLength, chunks } = await relayAudio(await audio)
  const stream = Readable.from(chunks, { objectMode: false })
  // On Fastify, Nest tells nobody of a stream that fails. A listener of one's own also keeps a failure before Nest has
  // taken the stream from ending the process.
  stream.on('error', (error) => {
    if (!ClientDisconnectedError.isInstance(error)) logger.error(`The audio broke off: ${error.message}`)
  })
  const file = new StreamableFile(stream, {
    type: contentType,
    ...(contentLength === undefined ? {} : { length: contentLength }),
    ...(disposition === undefined ? {} : { disposition }),
  })
  // Nest 11 would end the answer as if it were whole.
  return file.setErrorHandler((_error, response) => response.destroy?.())
}
