/** `workerData` of a speech thread. */
export interface SpeakerData {
  /** Path of flite as WebAssembly. */
  readonly program: string
  /** Whether it speaks at a lower priority. @default false */
  readonly background?: boolean
}

/** The response of a thread to a job. */
export type WorkerReply<Result> = { readonly result: Result } | { readonly failure: string }
