import { encodeWav, type PcmFormat } from '@svc-audio/core/streaming'

/** Received speech. */
export interface Speech {
  /** The spoken text. */
  readonly text: string
  readonly format: PcmFormat
  /** PCM in order. */
  readonly chunks: readonly Uint8Array[]
}

/** Returns the speech as a WAV file. */
export function wavOf({ format, chunks }: Speech): Blob {
  return new Blob([encodeWav(format, chunks)], { type: 'audio/wav' })
}
