/** What {@link speakable} does with what cannot be spoken as it stands. */
export interface SpeakableOptions {
  /** Fenced code. @default 'skip' */
  readonly codeBlocks?: 'skip' | 'read' | undefined
  /** Code within a sentence, which mostly makes no sense without it. @default 'read' */
  readonly inlineCode?: 'skip' | 'read' | undefined
  /** Web addresses: only the host, `example.com`; the whole; or nothing. @default 'host' */
  readonly urls?: 'host' | 'read' | 'skip' | undefined
  /** Emoji. They are left out, not named: a name for each would weigh more than the rest of this package. @default 'skip' */
  readonly emoji?: 'skip' | 'keep' | undefined
}
