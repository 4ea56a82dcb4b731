import type { ReactElement } from 'react'
import { formatClock } from '../../lib/format.ts'
import { isTimed, speakersOf, type Turn, turnAt } from './transcript.ts'
import { hueStyle } from '../../lib/hue.ts'
import { Lanes } from '../../components/lanes.tsx'

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
    <ol className="grid gap-1">
      {turns.map((turn, index) => (
        <li key={turn.id} className="turn" data-current={turn === current}>
          <div className="row gap-2 small">
            <SpeakerDot index={speakers.indexOf(turn.speaker)} />
            <span className="strong">{speakerName(turn.speaker, names)}</span>
            {isTimed(turn) && <Time start={turn.start} onSeek={onSeek} />}
          </div>
          <textarea
            className="turn-text grows"
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
    <button type="button" className="turn-time clock" aria-label={`Play from ${time}`} onClick={() => onSeek(start)}>
      {time}
    </button>
  )
}

/** The name of a speaker: the user's, else the service's label. */
export function speakerName(speaker: string, names: Readonly<Record<string, string>>): string {
  return names[speaker]?.trim() || speaker
}

/** The colour of a speaker. Its name stands beside it. @param index Position in the order of appearance. */
export function SpeakerDot({ index }: { readonly index: number }): ReactElement {
  return <span className="dot" style={hueStyle(index)} aria-hidden="true" />
}

/** The speakers with their colours. Their names can be changed. */
export function Speakers(props: {
  /** Labels of the service, such as `S01`. */
  readonly speakers: readonly string[]
  /** Names that the user gave, by label. */
  readonly names: Readonly<Record<string, string>>
  readonly onRename: (speaker: string, name: string) => void
}): ReactElement {
  const { speakers, names, onRename } = props
  return (
    <ul className="row wraps gap-4" aria-label="Speakers">
      {speakers.map((speaker, index) => (
        <li key={speaker} className="speaker row gap-2">
          <SpeakerDot index={index} />
          <input
            type="text"
            aria-label={`Name of ${speaker}`}
            placeholder={speaker}
            value={names[speaker] ?? ''}
            onChange={(event) => onRename(speaker, event.target.value)}
          />
        </li>
      ))}
    </ul>
  )
}

/** Who speaks when: one row for each speaker, below the waveform. The turns say the same in words. */
export function Timeline(props: {
  readonly turns: readonly Turn[]
  /** Seconds. */
  readonly duration: number
}): ReactElement {
  const { turns, duration } = props
  const timed = turns.filter(isTimed)
  const lanes = speakersOf(turns).map((id) => ({ id, spans: timed.filter(({ speaker }) => speaker === id) }))
  return <Lanes lanes={lanes} duration={duration} />
}
