import {
  type DiarizedTranscription,
  MAX_FILE_BYTES,
  type PureAudioClient,
  type Transcription,
  type TranscriptionCreateBody,
} from '@svc-audio/core'
import type { IncomingUpload } from './incoming-upload.ts'
import { assertUploadOptions, type UploadOptions } from './options.ts'
import { receiveUpload } from './receive-upload.ts'
import { describeUpload, type ReceivedUpload } from './received-upload.ts'
import type { UploadRequest } from './upload-request.ts'

/** Fields of a transcription that can be set, by their names on the wire. */
export type TranscriptionFields = Pick<TranscriptionCreateBody, 'model' | 'diarize' | 'keyterms'>

/** Options of {@link transcribeRequest}; those of the upload itself are {@link UploadOptions}. */
export interface TranscribeOptions extends TranscriptionFields, Omit<UploadOptions, 'maxFileSize' | 'signal'> {
  /** Largest file, in bytes; exactly this size is accepted. @default 536870912 (512 MiB, the interface's limit) */
  readonly maxFileSize?: number
  /** Deadline for the whole call to the service, the upload included, in milliseconds. @default the client's */
  readonly timeout?: number
}

/** What belongs to one request. */
export interface TranscribeContext {
  readonly client: PureAudioClient
  /** Gives upload and call up; it then fails with the signal's reason. Pass `disconnectSignal(response)`. */
  readonly signal: AbortSignal
  /** Fields that differ from request to request; they win over the fixed ones. */
  readonly body?: (
    upload: IncomingUpload,
  ) => Partial<TranscriptionFields> | Promise<Partial<TranscriptionFields>> | undefined
}

/** What a request has become. */
export interface TranscribedUpload {
  readonly transcription: Transcription | DiarizedTranscription
  readonly upload: ReceivedUpload
}

/**
 * Checks the options, so that a mistake shows when a server starts and not with its first upload.
 * @throws RangeError naming the option
 */
export function assertTranscribeOptions(options: TranscribeOptions): void {
  assertUploadOptions(withLimit(options))
}

/**
 * Transcribes the one file of a multipart form. The file flows straight to the service, whose work begins before the
 * upload has ended: nothing of it is kept in memory or on disk. It cannot be sent twice, so a failed call is not repeated.
 *
 * @throws UploadError when the upload is refused
 * @throws what the call to the service throws, and the reason of `signal` when that aborted
 */
export async function transcribeRequest(
  request: UploadRequest,
  options: TranscribeOptions,
  context: TranscribeContext,
): Promise<TranscribedUpload> {
  const upload = await receiveUpload(request, { ...withLimit(options), signal: context.signal })
  // After a failure, or an answer that came early, the rest of the upload is of no use.
  const transcription = await transcribe(upload, options, context).finally(() => upload.dispose())
  return { transcription, upload: await describeUpload(upload) }
}

async function transcribe(
  upload: IncomingUpload,
  { model, diarize, keyterms, timeout }: TranscribeOptions,
  { client, body }: TranscribeContext,
): Promise<Transcription | DiarizedTranscription> {
  const fields = {
    model,
    ...(diarize === undefined ? {} : { diarize }),
    ...(keyterms === undefined ? {} : { keyterms }),
    ...(await body?.(upload)),
  }
  const { stream, filename, sniffedType, declaredType, signal } = upload
  // A bare stream, which tells the client that it can be sent once.
  const file = { data: stream, name: filename, type: sniffedType ?? declaredType }
  return client.transcriptions.create(
    { ...fields, response_format: 'json', file },
    { signal, ...(timeout === undefined ? {} : { timeout }) },
  )
}

function withLimit({ maxFileSize = MAX_FILE_BYTES, ...options }: TranscribeOptions): UploadOptions {
  return { ...options, maxFileSize }
}
