/** The service's response is not audio of the requested format, or has no readable length. */
export class UnreadableAudioError extends Error {
  override readonly name = 'UnreadableAudioError' as const

  constructor(format: string, contentType: string) {
    super(`The service answered with ${contentType} that cannot be read as ${format}: try another response_format`)
  }
}
