import { MAX_FILE_BYTES, type PureAudioClient, type Transcription, type TranscriptionCreateBody } from '@svc-audio/core'
import {
  assertUploadOptions,
  describeUpload,
  disconnectSignal,
  type IncomingUpload,
  receiveUpload,
  type UploadOptions,
} from '@svc-audio/upload'
import type { Request, RequestHandler } from 'express'

/** Fields of a transcription that can be set, by their names on the wire. */
export type TranscriptionFields = Pick<TranscriptionCreateBody, 'model' | 'diarize' | 'keyterms'>

/** Options of {@link transcribeUpload}; those of the upload itself are `UploadOptions`. */
export interface TranscribeUploadOptions extends TranscriptionFields, Omit<UploadOptions, 'maxFileSize' | 'signal'> {
  /** An `AudioClient`. It stays the caller's to close. */
  readonly client: PureAudioClient
  /** Largest file, in bytes; exactly this size is accepted. @default 536870912 (512 MiB, the interface's limit) */
  readonly maxFileSize?: number
  /** Deadline for the whole call to the service, the upload included, in milliseconds. @default the client's */
  readonly timeout?: number
  /**
   * Fields that differ from request to request; they win over the fixed ones. Of the form, only fields sent before the
   * file are known here. Check what comes from the caller: models cost money.
   */
  readonly body?: (
    request: Request,
    upload: IncomingUpload,
  ) => Partial<TranscriptionFields> | Promise<Partial<TranscriptionFields>>
}

/**
 * Middleware that transcribes the one file of a multipart form and puts the answer into `req.transcription`. The file
 * flows straight to the service, whose work begins before the upload has ended: nothing of it is kept in memory or on
 * disk. When the browser leaves, the call to the service is aborted.
 *
 * Failures go to the error middleware, for which {@link audioErrors} is made: `UploadError`, `ClientGoneError`, and the
 * errors of the client. An upload cannot be sent twice, so a failed call is not repeated.
 *
 * @throws RangeError here, when an option is out of range
 *
 * @example
 * app.post('/transcribe', transcribeUpload({ client, model: 'svc-transcribe-1.0' }), (req, res) => {
 *   res.json(req.transcription)
 * })
 */
export function transcribeUpload(options: TranscribeUploadOptions): RequestHandler {
  const limits = { ...options, maxFileSize: options.maxFileSize ?? MAX_FILE_BYTES }
  assertUploadOptions(limits)
  return async (request, response, next) => {
    const upload = await receiveUpload(request, { ...limits, signal: disconnectSignal(response) })
    try {
      request.transcription = await transcribe(options, request, upload)
    } finally {
      // After a failure, or an answer that came early, the rest of the upload is of no use.
      upload.dispose()
    }
    request.upload = await describeUpload(upload)
    next()
  }
}

async function transcribe(
  options: TranscribeUploadOptions,
  request: Request,
  upload: IncomingUpload,
): Promise<Transcription> {
  const { client, model, diarize, keyterms, timeout } = options
  const body = {
    model,
    ...(diarize === undefined ? {} : { diarize }),
    ...(keyterms === undefined ? {} : { keyterms }),
    ...(await options.body?.(request, upload)),
    response_format: 'json' as const,
    file: {
      data: () => upload.stream,
      name: upload.filename,
      type: upload.sniffedType ?? upload.declaredType,
    },
  }
  return client.transcriptions.create(body, { signal: upload.signal, ...(timeout === undefined ? {} : { timeout }) })
}
