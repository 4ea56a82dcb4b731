/** The service's WAV is shorter than its own header says: the response was cut on its way. It is not cached. */
export class CutAudioError extends Error {
  override readonly name = 'CutAudioError' as const

  constructor(missingBytes: number) {
    super(
      `The service answered with a WAV file that lacks ${missingBytes} bytes of the audio in its header: build again. ` +
        'If it happens again, look for a proxy before the service that cuts answers',
    )
  }
}
