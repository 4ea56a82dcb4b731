/** Audio to transcribe. */
export interface AudioSource {
  readonly file: Blob
  readonly name: string
  /** The spoken text, if known. With it, the panel shows the word error rate. */
  readonly said?: string
}
