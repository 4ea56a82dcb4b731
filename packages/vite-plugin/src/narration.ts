/** A heading of a page, and where it is said. */
export interface NarrationSection {
  readonly title: string
  /** Level of the heading, 1 to 6. */
  readonly level: number
  /** Id of the heading, as in a link to it, where it is known. */
  readonly id: string | undefined
  /** Where the heading is said, in seconds. */
  readonly startSecond: number
  /** Where the next section of any level begins, or the audio ends, in seconds. */
  readonly endSecond: number
}

/** What an import with `?narrate` gives. */
export interface Narration {
  /**
   * Address of the audio: a hashed asset in a build; in dev, an address that makes the audio when it is first asked for.
   * Empty for a page without narration: one that is empty or skipped, or whose narration failed.
   */
  readonly src: string
  /** MIME type, e.g. `audio/mpeg`: for `<source type>`. */
  readonly type: string
  /**
   * Length of the audio in seconds. Always there in a build. In dev it is `undefined` until the audio was made once; after
   * that, from the next load of the page on, it is the real one.
   */
  readonly durationSeconds: number | undefined
  /** Size of the audio in bytes, for a feed. In dev as `durationSeconds`. */
  readonly bytes: number | undefined
  /** Characters that are spoken. */
  readonly characters: number
  /** What is said, as it was written. */
  readonly text: string
  /** Title of the page: of its front matter, else its first heading of level 1. */
  readonly title: string | undefined
  /** Language of the page, where it says one. */
  readonly language: string | undefined
  /**
   * Address of the captions (WebVTT), one cue for each segment; empty for a page without narration, and for a recording.
   */
  readonly captions: string
  /** The headings, in order. In dev they are empty until the audio was made once. */
  readonly sections: readonly NarrationSection[]
}

/** A narration of `virtual:narrations`. */
export interface ListedNarration extends Narration {
  /** The source, relative to Vite's root. */
  readonly file: string
}
