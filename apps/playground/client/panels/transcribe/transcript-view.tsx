import { toSrt, toVtt } from '@svc-audio/core/subtitles'
import { type ReactElement, useMemo } from 'react'
import type { Player } from '../../audio/player.ts'
import { CopyButton, DownloadButton } from '../../components/button.tsx'
import { Compared, compareTexts, toneOf } from '../../components/comparison.tsx'
import { hueStyle, Lanes } from '../../components/lanes.tsx'
import { PlayerBar, useMediaPlayer, usePlayerState } from '../../components/player-bar.tsx'
import { type Fact, Facts } from '../../components/states.tsx'
import { useLoaded } from '../../lib/calls.ts'
import { isLocal, shareAddress, storedAudio } from '../../lib/client.ts'
import { formatClock, formatMs, formatPace, formatPercent, formatSeconds } from '../../lib/format.ts'
import {
  correctedResult,
  correctedText,
  isTimed,
  type Result,
  SPEAKERS_MODEL,
  speakersOf,
  type Transcript,
  type Turn,
  turnAt,
} from './transcript.ts'

/** A transcript: the audio, who speaks when, the text to correct, and its exports. */
export function TranscriptView(props: {
  readonly transcript: Transcript
  /** Of the transcript, without the corrections. */
  readonly result: Result
  readonly onChange: (change: Partial<Transcript>) => void
}): ReactElement {
  const { transcript, result: original, onChange } = props
  const { id, name, names, texts, said, ms } = transcript
  const result = useMemo(() => correctedResult(original, transcript), [original, transcript])
  const { data: audio } = useLoaded(() => storedAudio(id), id)
  const player = useMediaPlayer(audio)
  const { position, duration: played } = usePlayerState(player)
  const duration = Math.max(played, result.duration ?? 0, ...result.turns.map(({ end = 0 }) => end))
  const text = correctedText(result)
  const timeline = result.turns.some(isTimed) && <Timeline turns={result.turns} duration={duration} />
  const seek = (seconds: number): void => seekAndPlay(player, seconds)
  return (
    <section className="card transcript" aria-label="Transcript">
      <header className="row gap-2 wraps">
        <h2 className="grow slim">{name}</h2>
        {!isLocal(id) && (
          <CopyButton text={shareAddress('transcribe', id)} label="Copy link" what="to this transcript" />
        )}
        <CopyButton text={text} what="the transcript" />
        <Exports result={result} names={names} name={name} />
      </header>
      {player === undefined ? timeline : <PlayerBar player={player} label="the audio" under={timeline} />}
      {result.turns.length > 0 ? (
        <>
          <Speakers
            speakers={speakersOf(result.turns)}
            names={names}
            onRename={(speaker, given) => onChange({ names: { ...names, [speaker]: given } })}
          />
          <Turns
            turns={result.turns}
            names={names}
            position={position}
            onSeek={player && seek}
            onCorrect={(turn, corrected) => onChange({ texts: { ...texts, [turn]: corrected } })}
          />
        </>
      ) : (
        <p className="transcript-text large breaks">{text === '' ? <span className="faint">No speech</span> : text}</p>
      )}
      <Measured ms={ms} text={text} said={said} duration={duration} />
    </section>
  )
}

function seekAndPlay(player: Player | undefined, seconds: number): void {
  player?.seek(seconds)
  player?.play().catch(() => {})
}

function Measured(props: {
  readonly ms: number | undefined
  readonly text: string
  readonly said: string | undefined
  readonly duration: number
}): ReactElement {
  const { ms, text, said, duration } = props
  const comparison = useMemo(() => (said === undefined ? undefined : compareTexts(said, text)), [said, text])
  const facts: Fact[] = [
    { name: 'Time', value: ms === undefined ? undefined : formatMs(ms) },
    { name: 'Audio', value: duration === 0 ? undefined : formatSeconds(duration) },
    { name: 'Speed', value: duration === 0 || ms === undefined ? undefined : formatPace(ms / 1000 / duration) },
    { name: 'Words', value: String(text.split(/\s+/).filter((word) => word !== '').length) },
  ]
  if (comparison !== undefined) {
    facts.push({ name: 'Word error rate', value: formatPercent(comparison.rate), tone: toneOf(comparison) })
  }
  return (
    <>
      {comparison !== undefined && comparison.errors > 0 && (
        <div className="grid gap-1">
          <h3>Compared with what was said</h3>
          <p>
            <Compared comparison={comparison} />
          </p>
        </div>
      )}
      <Facts facts={facts} />
    </>
  )
}

/** Saves the transcript with its corrections and names. Subtitles need times. */
export function Exports(props: {
  readonly result: Result
  readonly names: Readonly<Record<string, string>>
  /** Name of the audio. */
  readonly name: string
}): ReactElement {
  const { result, names, name } = props
  const timed = result.turns.some(isTimed)
  const base = name.replace(/\.\w+$/, '')
  return (
    <div className="actions">
      {EXPORTS.map((kind) => (
        <DownloadButton
          key={kind}
          small
          label={kind.toUpperCase()}
          name={`${base}.${kind}`}
          file={kind === 'json' || timed ? () => exportOf(kind, result, names) : undefined}
        />
      ))}
      {!timed && <span className="hint">Subtitles need times: transcribe it with {SPEAKERS_MODEL}.</span>}
    </div>
  )
}

/** Formats of an exported transcript. */
export const EXPORTS = ['json', 'srt', 'vtt'] as const

const TYPES = { json: 'application/json', srt: 'application/x-subrip', vtt: 'text/vtt' } as const

/** Returns the transcript as a file, with the corrections and the names of the speakers. */
export function exportOf(
  kind: (typeof EXPORTS)[number],
  result: Result,
  names: Readonly<Record<string, string>>,
): Blob {
  const segments = result.turns.map((turn) => ({ ...turn, speaker: speakerName(turn.speaker, names) }))
  // A speaker who is alone and has no name would stand before each subtitle as S01.
  const isNamed = Object.values(names).some((name) => name.trim() !== '')
  const speakers = isNamed || speakersOf(result.turns).length > 1
  return new Blob([textOf(kind, result, segments, speakers)], { type: TYPES[kind] })
}

function textOf(kind: (typeof EXPORTS)[number], result: Result, segments: Result['turns'], speakers: boolean): string {
  if (kind === 'json') {
    const { duration } = result
    return JSON.stringify({ text: correctedText(result), duration, segments }, undefined, 2)
  }
  const pieces = segments.filter(isTimed)
  return kind === 'srt' ? toSrt(pieces, { speakers }) : toVtt(pieces, { speakers })
}

/** Options of {@link Turns}. */
interface TurnsProps {
  readonly turns: readonly Turn[]
  readonly names: Readonly<Record<string, string>>
  /** Seconds. */
  readonly position: number
  /** `undefined` without audio. */
  readonly onSeek: ((seconds: number) => void) | undefined
  readonly onCorrect: (turn: string, text: string) => void
}

/** The turns of a transcript. Their times move the player, and their text can be corrected in place. */
function Turns({ turns, names, position, onSeek, onCorrect }: TurnsProps): ReactElement {
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
function Speakers(props: {
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
function Timeline(props: {
  readonly turns: readonly Turn[]
  /** Seconds. */
  readonly duration: number
}): ReactElement {
  const { turns, duration } = props
  const timed = turns.filter(isTimed)
  const lanes = speakersOf(turns).map((id) => ({ id, spans: timed.filter(({ speaker }) => speaker === id) }))
  return <Lanes lanes={lanes} duration={duration} />
}
