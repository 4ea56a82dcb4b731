/** The audio of a page's segments does not fit together. The message says why and what to set. */
export class UnjoinableError extends Error {
  override readonly name = 'UnjoinableError' as const

  constructor(format: string, reason: string) {
    super(
      `The ${format} audio of two segments cannot be joined: ${reason}. Set segmentBy: 'page' or another response_format`,
    )
  }
}
