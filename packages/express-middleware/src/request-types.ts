import type { DiarizedTranscription, Transcription } from '@svc-audio/core'
import type { ReceivedUpload } from '@svc-audio/upload'

declare global {
  // The way Express offers for typing what a middleware adds to a request.
  // oxlint-disable-next-line typescript/no-namespace -- it is how the types of Express are extended
  namespace Express {
    interface Request {
      /** The text of the uploaded audio; set by `transcribeUpload()`. A diarized one has `segments`. */
      transcription?: Transcription | DiarizedTranscription
      /** The upload it was made from; set by `transcribeUpload()`. */
      upload?: ReceivedUpload
    }
  }
}

/** A request that `transcribeUpload()` has let through: both fields are there. */
export type TranscribedRequest = Express.Request & Required<Pick<Express.Request, 'transcription' | 'upload'>>
