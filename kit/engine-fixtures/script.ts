/** Behaviour of the scripted worker at a block that starts with this sample. */
export const SCRIPT = {
  /** Throws an error. */
  crash: 1,
  /** Exits without a message. */
  exit: 2,
  /** Stops answering, also to a `cancel`. */
  hang: 3,
  /** Never confirms the block. */
  keep: 4,
  /** Recognizes one word: the keyterms of the recording, joined by commas. */
  say: 5,
  /** Accepts everything, and never returns a result. */
  hangAtEnd: 6,
} as const

/** File of the scripted worker with the protocol of a recognition thread. */
export const SCRIPTED_WORKER: URL = new URL('./scripted-recognition-worker.ts', import.meta.url)

/** File of the scripted worker with the protocol of a recording thread. */
export const SCRIPTED_RECORDING_WORKER: URL = new URL('./scripted-recording-worker.ts', import.meta.url)
