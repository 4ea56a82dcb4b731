/** The cache lacks audio, and the mode allows no call. */
export class MissingNarrationError extends Error {
  override readonly name = 'MissingNarrationError' as const

  /** @param text The missing segment. */
  constructor(source: string, text: string) {
    const start = text.length > 60 ? `${text.slice(0, 57)}…` : text
    super(
      `The cache has no audio of “${start}”. Build once with mode: 'auto' and a key, and commit cacheDir (source: ${source})`,
    )
  }
}
