import type { DiarizedTranscription, Transcription } from '@svc-audio/core'
import type { ReceivedUpload } from '@svc-audio/upload'
import type { Request } from 'express'

declare global {
  // The Express way to type fields that a middleware adds to a request.
  // oxlint-disable-next-line typescript/no-namespace -- the types of Express are a namespace
  namespace Express {
    interface Request {
      /** The text of the uploaded audio, behind `transcribeUpload()` only. A diarized one has `segments`. */
      transcription: Transcription | DiarizedTranscription
      /** The upload, behind `transcribeUpload()` and in `answer` of `uploadTo()` only. */
      upload: ReceivedUpload<unknown>
    }
  }
}

/**
 * A request behind `transcribeUpload()`, for the annotation of handlers. Both fields are declared on every request, since
 * Express passes one type to all handlers of a route: they are set only behind the middleware.
 */
export type TranscribedRequest = Request & Pick<Express.Request, 'transcription' | 'upload'>
