import { Readable } from 'node:stream'
import { Logger, StreamableFile } from '@nestjs/common'
import { type AudioBody, relayAudio } from '@svc-audio/core'
import { audioHeaders, ClientDisconnectedError, describeFailure } from '@svc-audio/upload'
import { toException } from './audio-exception.ts'

/** Options of {@link speechFile}. */
export interface SpeechFileOptions {
  /** The `Content-Disposition` header, e.g. `attachment; filename="speech.mp3"`. @default none: a browser plays it */
  readonly disposition?: string
}

const logger = new Logger('speechFile')

const headers = new WeakMap<StreamableFile, Readonly<Record<string, string>>>()

/** The headers of audio besides its type and length. */
export function headersOf(value: unknown): Readonly<Record<string, string>> {
  return (value instanceof StreamableFile ? headers.get(value) : undefined) ?? {}
}

/**
 * Answers a route with audio while the service synthesizes it. The answer has the type of the audio, and its length if the
 * service sent it. `speechFile` waits for the first bytes and throws Nest's exception for an earlier failure. A later
 * failure closes the connection, so no client mistakes partial audio for the whole. A disconnect aborts the call to the
 * service. Before the first bytes, only `@DisconnectSignal()` does so.
 *
 * In an app with `AudioModule` the answer also has `cache-control: no-store, no-transform`, `x-accel-buffering: no` and
 * `x-content-type-options: nosniff`.
 *
 * @throws HttpException for every failure of the call, with the original error as `cause`
 *
 * @example
 * return speechFile(this.audio.speech.create({ model, input, voice_id }, { signal }))
 */
export async function speechFile(
  audio: AudioBody | Promise<AudioBody>,
  { disposition }: SpeechFileOptions = {},
): Promise<StreamableFile> {
  const { contentType, contentLength, chunks } = await started(audio)
  const stream = Readable.from(chunks, { objectMode: false })
  // On Fastify, Nest does not report a failed stream. Without a listener, a failure before Nest reads the stream would end
  // the process.
  stream.on('error', (error) => {
    if (!ClientDisconnectedError.isInstance(error)) logger.error(`The audio is incomplete: ${describeFailure(error)}`)
  })
  const file = new StreamableFile(stream, {
    type: contentType,
    ...(contentLength === undefined ? {} : { length: contentLength }),
    ...(disposition === undefined ? {} : { disposition }),
  })
  const { 'content-type': _type, 'content-length': _length, ...rest } = audioHeaders({ contentType })
  headers.set(file, rest)
  // Nest 11 would end the answer as if it were complete.
  return file.setErrorHandler((_error, response) => response.destroy?.())
}

async function started(audio: AudioBody | Promise<AudioBody>): ReturnType<typeof relayAudio> {
  try {
    return await relayAudio(await audio)
  } catch (error) {
    throw toException(error, { logger })
  }
}
