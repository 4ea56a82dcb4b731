import type { UploadFile } from '@svc-audio/core'
import type { TranscriptSource } from '../operations/artifacts.ts'

/** Audio that may be transcribed, checked and opened. */
export interface AudioSource {
  /** What the model named. */
  readonly source: TranscriptSource
  /** The same for the same audio; `undefined` where the audio behind an address may change. */
  readonly key: string | undefined
  /** The source as a request takes it. */
  readonly body:
    | {
        /** Bytes to send. */
        readonly file: UploadFile
      }
    | {
        /** Id of a file that the service has. */
        readonly file_id: string
      }
    | {
        /** Address that the service fetches. */
        readonly url: string
      }
  /** The first bytes, where they are at hand. */
  readonly head?: Uint8Array
  /** Closes the source. */
  readonly close?: () => Promise<void>
}
