/** A heading of a page, and its time. */
export interface NarrationSection {
  /** Text of the heading, without markup. */
  readonly title: string
  /** Level of the heading, 1 to 6. */
  readonly level: number
  /** Id of the heading, as in a link to it, where it is known. */
  readonly id: string | undefined
  /** Start of the heading, in seconds. */
  readonly startSecond: number
  /** Where the next section of any level begins, or the audio ends, in seconds. */
  readonly endSecond: number
}

/**
 * What an import with `?narrate` gives. The text is the named export `text` only, so that a page ships no text that it does
 * not ask for.
 */
export interface Narration {
  /**
   * Address of the audio: a hashed asset in a build; in dev, an address whose first request makes the audio.
   * Empty for a page without narration: one that is empty or skipped, or whose narration failed.
   */
  readonly src: string
  /** MIME type, e.g. `audio/mpeg`: for `<source type>`. */
  readonly type: string
  /**
   * Length of the audio in seconds. Always set in a build. In dev it is `undefined` until the first play; the next load
   * of the page has it.
   */
  readonly durationSeconds: number | undefined
  /** Size of the audio in bytes, for a feed. In dev, `undefined` until first play. */
  readonly bytes: number | undefined
  /** Characters that are spoken. */
  readonly characters: number
  /** Title of the page: of its front matter, else its first heading of level 1. */
  readonly title: string | undefined
  /** Language of the page, if set. */
  readonly language: string | undefined
  /**
   * Address of the captions (WebVTT): cues of at most two lines of 42 characters and 7 seconds. Empty for a page without
   * narration, and for a recording.
   */
  readonly captions: string
  /** The headings, in order. In dev the list is empty until the first play. */
  readonly sections: readonly NarrationSection[]
}

/** A narration of `virtual:narrations`. */
export interface ListedNarration extends Narration {
  /** The source, relative to Vite's root. */
  readonly file: string
}
