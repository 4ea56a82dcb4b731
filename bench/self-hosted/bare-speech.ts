/** A text for the process of flite by hand. */
export interface BareText {
  readonly id: number
  readonly input: string
  readonly voiceId: string
}

/** The speech of a {@link BareText}. */
export interface BareSpeech {
  readonly id: number
  readonly pcm: Uint8Array
}
