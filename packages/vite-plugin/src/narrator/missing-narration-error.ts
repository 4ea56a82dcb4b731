/** A mode without calls needs audio that the cache does not have. */
export class MissingNarrationError extends Error {
  override readonly name = 'MissingNarrationError' as const

  /** @param text The segment that is missing. */
  constructor(source: string, text: string) {
    const start = text.length > 60 ? `${text.slice(0, 57)}…` : text
    super(
      `The cache has no audio of “${start}”. Build once with mode: 'auto' and a key, and commit cacheDir (source: ${source})`,
    )
  }
}
