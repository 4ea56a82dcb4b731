import type { TranscriptionSegment } from '@svc-audio/core/pure'

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
