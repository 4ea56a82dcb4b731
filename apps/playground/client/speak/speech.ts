import { encodeWav, type PcmFormat } from '@svc-audio/core/streaming'

/** Speech that has been received. */
export interface Speech {
  /** The text it says. */
  readonly text: string
  readonly format: PcmFormat
  /** PCM in order. */
  readonly chunks: readonly Uint8Array[]
}

/** The speech as a WAV file. */
export function wavOf({ format, chunks }: Speech): Blob {
  return new Blob([encodeWav(format, chunks)], { type: 'audio/wav' })
}
