import type { ReactElement } from 'react'
import { formatClock } from '../../lib/format.ts'
import { isTimed, speakersOf, type Turn, turnAt } from './result.ts'
import { SpeakerDot, speakerName } from './speakers.tsx'

/** Options of {@link Turns}. */
export interface TurnsProps {
  readonly turns: readonly Turn[]
  readonly names: Readonly<Record<string, string>>
  /** Seconds. */
  readonly position: number
  /** `undefined` without audio. */
  readonly onSeek: ((seconds: number) => void) | undefined
  readonly onCorrect: (turn: string, text: string) => void
}

/** The turns of a transcript. Their times move the player, and their text can be corrected in place. */
export function Turns({ turns, names, position, onSeek, onCorrect }: TurnsProps): ReactElement {
  const speakers = speakersOf(turns)
  const current = position > 0 ? turnAt(turns, position) : undefined
  return (
    <ol className="turns">
      {turns.map((turn, index) => (
        <li key={turn.id} className="turn" data-current={turn === current}>
          <div className="turn-head">
            <SpeakerDot index={speakers.indexOf(turn.speaker)} />
            <span className="turn-speaker">{speakerName(turn.speaker, names)}</span>
            {isTimed(turn) && <Time start={turn.start} onSeek={onSeek} />}
          </div>
          <textarea
            className="turn-text"
            rows={1}
            aria-label={`Text of turn ${index + 1}, ${speakerName(turn.speaker, names)}`}
            value={turn.text}
            onChange={(event) => onCorrect(turn.id, event.target.value)}
          />
        </li>
      ))}
    </ol>
  )
}

function Time({ start, onSeek }: { readonly start: number } & Pick<TurnsProps, 'onSeek'>): ReactElement {
  const time = formatClock(start)
  if (onSeek === undefined) return <span className="clock">{time}</span>
  return (
    <button type="button" className="turn-time" aria-label={`Play from ${time}`} onClick={() => onSeek(start)}>
      {time}
    </button>
  )
}
