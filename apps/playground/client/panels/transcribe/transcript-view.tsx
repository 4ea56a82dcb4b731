import { type ReactElement, useMemo } from 'react'
import { toSrt, toVtt } from '@svc-audio/core/subtitles'
import { compareTexts } from '../../compare/compare-texts.ts'
import { Compared, toneOf } from '../../components/comparison.tsx'
import type { Player } from '../../audio/player.ts'
import { CopyButton, DownloadButton } from '../../components/button.tsx'
import { type Fact, Facts } from '../../components/states.tsx'
import { PlayerBar, useMediaPlayer, usePlayerState } from '../../components/player-bar.tsx'
import { isLocal, shareAddress, storedAudio } from '../../lib/client.ts'
import { formatMs, formatPace, formatPercent, formatSeconds } from '../../lib/format.ts'
import { useLoaded } from '../../lib/calls.ts'
import { correctedResult, correctedText, isTimed, type Result, speakersOf, type Transcript } from './transcript.ts'
import { speakerName, Speakers, Timeline, Turns } from './turns.tsx'

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
        <h2 className="grow">{name}</h2>
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
  return new Blob([textOf(kind, result, segments)], { type: TYPES[kind] })
}

function textOf(kind: (typeof EXPORTS)[number], result: Result, segments: Result['turns']): string {
  if (kind === 'json') {
    const { duration } = result
    return JSON.stringify({ text: correctedText(result), duration, segments }, undefined, 2)
  }
  const pieces = segments.filter(isTimed)
  return kind === 'srt' ? toSrt(pieces) : toVtt(pieces)
}
