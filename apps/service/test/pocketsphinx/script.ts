/** What the scripted worker does when it gets a block that begins with this sample. */
export const SCRIPT = {
  /** Throws an error. */
  crash: 1,
  /** Ends without a word. */
  exit: 2,
  /** Answers nothing any more, not even a `cancel`. */
  hang: 3,
  /** Never says that it has consumed the block. */
  keep: 4,
  /** Hears one word: the keyterms of the recording, joined by commas. */
  say: 5,
  /** Takes everything, and never gives a result. */
  hangAtEnd: 6,
} as const

/** The scripted worker's file. */
export const SCRIPTED_WORKER: URL = new URL('./scripted-worker.ts', import.meta.url)
