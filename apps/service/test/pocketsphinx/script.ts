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

/** The scripted worker's file. */
export const SCRIPTED_WORKER: URL = new URL('./scripted-worker.ts', import.meta.url)
