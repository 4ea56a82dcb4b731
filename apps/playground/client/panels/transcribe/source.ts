/** Audio to transcribe: a file, a stored file, or an address. */
export type AudioSource = {
  /** For people. */
  readonly name: string
  /** The spoken text, if known. With it, the panel shows the word error rate. */
  readonly said?: string
} & ({ readonly file: Blob } | { readonly file_id: string } | { readonly url: string })

/** What the panel asks for: all of it survives a reload. */
export interface TranscribeDraft {
  readonly model: 'svc-transcribe-1.0' | 'svc-transcribe-diarize-pro'
  /** Shows the text while the service recognizes. Only with speakers. */
  readonly live: boolean
  /** Names and terms, one per line. Only with speakers. */
  readonly keyterms: string
  readonly url: string
}

/** The first draft. */
export const FIRST_DRAFT: TranscribeDraft = { model: 'svc-transcribe-diarize-pro', live: true, keyterms: '', url: '' }

/** Model with speakers, times and a stream. */
export const SPEAKERS_MODEL = 'svc-transcribe-diarize-pro'

/** The key terms of a draft. */
export function keytermsOf({ keyterms }: TranscribeDraft): readonly string[] {
  return keyterms
    .split('\n')
    .map((term) => term.trim())
    .filter((term) => term !== '')
}
