import type { IncomingMessage } from 'node:http'
import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import { ConfigurationError, type DiarizedTranscription, type Transcription as Standard } from '@svc-audio/core'
import { nativeRequest } from './platform.ts'
import type { TranscribedUpload } from '@svc-audio/upload'

const transcribed = new WeakMap<IncomingMessage, TranscribedUpload>()

/** Keeps the outcome for the parameters of the route, as long as the request lives. */
export function keepTranscribed(context: ExecutionContext, outcome: TranscribedUpload): void {
  transcribed.set(nativeRequest(context), outcome)
}

function find(context: ExecutionContext): TranscribedUpload {
  const found = transcribed.get(nativeRequest(context))
  if (found !== undefined) return found
  throw new ConfigurationError('There is no transcription: bind TranscribeInterceptor to the route')
}

/** The text of the uploaded audio. One with speakers has `segments` beside it: `DiarizedTranscription` of the core. */
export type Transcription = Standard | DiarizedTranscription

/**
 * A parameter: what `TranscribeInterceptor` heard in the upload. Throws ConfigurationError where the route has none.
 *
 * @example
 * transcribe(@Transcription() { text }: Transcription) {}
 */
export const Transcription: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context) => find(context).transcription,
)

/**
 * A parameter: the upload that was transcribed, with its name, its size and the text fields of its form, as
 * {@link ReceivedUpload}. Throws ConfigurationError where the route has no `TranscribeInterceptor`.
 */
export const Upload: () => ParameterDecorator = createParamDecorator((_data: unknown, context) => find(context).upload)
