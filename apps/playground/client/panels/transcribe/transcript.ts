import type { Result } from './result.ts'
import type { AudioSource } from './source.ts'

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
