/** `workerData` of a speech thread. */
export interface SpeakerData {
  /** Path of flite as WebAssembly. */
  readonly program: string
}

/** The answer of a thread to a job. */
export type WorkerReply<Result> = { readonly result: Result } | { readonly failure: string }
