/** What an import with `?narrate` gives. */
export interface Narration {
  /** Address of the audio: a hashed asset in a build; in dev, an address that makes the audio when it is first asked for. */
  readonly src: string
  /** MIME type, e.g. `audio/mpeg`: for `<source type>`. */
  readonly type: string
  /**
   * Length of the audio in seconds. Always there in a build. In dev it is `undefined` until the audio was made once; after
   * that, from the next load of the page on, it is the real one.
   */
  readonly durationSeconds: number | undefined
  /** What is said. */
  readonly text: string
}
