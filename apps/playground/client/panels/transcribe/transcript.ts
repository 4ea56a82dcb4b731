import type { TranscriptionSegment } from '@svc-audio/core/pure'

/** A transcript with the changes of the user. The browser stores it. */
export interface Transcript {
  /** The task of a live transcript, else an id of this browser. */
  readonly id: string
  /** Of the audio. */
  readonly name: string
  /** Unix milliseconds. */
  readonly at: number
  /** From the click to the transcript, in milliseconds. Absent until it is complete, and for one of somebody else. */
  readonly ms?: number
  /** See {@link AudioSource}. */
  readonly said?: string
  /** Absent while it runs, and when the task alone has it. */
  readonly result?: Result
  /** Corrected texts, by the id of the turn. */
  readonly texts: Readonly<Record<string, string>>
  /** Names of the speakers, by their label. */
  readonly names: Readonly<Record<string, string>>
}

/** A transcript that begins. */
export function newTranscript(id: string, { name, said }: AudioSource): Transcript {
  return { id, name, at: Date.now(), texts: {}, names: {}, ...(said === undefined ? {} : { said }) }
}

/** A result with the corrections of the user. */
export function correctedResult(result: Result, { texts }: Transcript): Result {
  return { ...result, turns: result.turns.map((turn) => ({ ...turn, text: texts[turn.id] ?? turn.text })) }
}

/** Transcripts in the history. */
const MAX_TRANSCRIPTS = 20

/** Characters that the results may take. The storage of a browser has about five million for everything. */
const MAX_STORED = 2_000_000

/** The first words of a result, for a list. */
export function firstWords({ text, turns }: Result): string {
  return (text || (turns[0]?.text ?? '')).slice(0, 100)
}

/**
 * Adds a transcript in front, or replaces the one with its id in its place.
 * @param canReload Whether the task of a transcript has its result: it may leave the storage.
 */
export function withTranscript(
  before: readonly Transcript[],
  transcript: Transcript,
  canReload: (id: string) => boolean,
): readonly Transcript[] {
  const known = before.some(({ id }) => id === transcript.id)
  const all = known ? before.map((one) => (one.id === transcript.id ? transcript : one)) : [transcript, ...before]
  let size = 0
  return all.slice(0, MAX_TRANSCRIPTS).map((one) => {
    size += JSON.stringify(one.result ?? '').length
    if (size <= MAX_STORED || !canReload(one.id)) return one
    const { result: _result, ...rest } = one
    return rest
  })
}

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

/** A speaker turn of a transcript. */
export interface Turn {
  readonly id: string
  readonly speaker: string
  /** The user may correct it. */
  readonly text: string
  /** Seconds. `undefined` while the stream runs: its events have no times. */
  readonly start: number | undefined
  readonly end: number | undefined
}

/** A transcript. */
export interface Result {
  readonly text: string
  /** Empty for the standard model. */
  readonly turns: readonly Turn[]
  /** Seconds of audio, if the service says it. */
  readonly duration: number | undefined
}

/** A turn of the service's segment. */
export function turnOf({ id, speaker, text, start, end }: TranscriptionSegment): Turn {
  return { id, speaker, text, start, end }
}

/** A turn with its times. */
export type TimedTurn = Turn & { readonly start: number; readonly end: number }

/** Whether the times of a turn are known. */
export function isTimed(turn: Turn): turn is TimedTurn {
  return turn.start !== undefined && turn.end !== undefined
}

/** The speakers in the order of their first turn. */
export function speakersOf(turns: readonly Turn[]): readonly string[] {
  return [...new Set(turns.map(({ speaker }) => speaker))]
}

/** The turn that is heard at a position, in seconds. */
export function turnAt(turns: readonly Turn[], position: number): Turn | undefined {
  return turns.find((turn) => isTimed(turn) && position >= turn.start && position < turn.end)
}

/** The whole text with the corrections of the turns. */
export function correctedText({ text, turns }: Result): string {
  return turns.length === 0 ? text : turns.map((turn) => turn.text).join('\n')
}
