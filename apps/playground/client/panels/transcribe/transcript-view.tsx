import { type ReactElement, useMemo, useState } from 'react'
import { compareTexts } from '../../compare/compare-texts.ts'
import { Compared, toneOf } from '../../compare/compared.tsx'
import type { Player } from '../../audio/player.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { useMediaPlayer, usePlayerState } from '../../components/use-media-player.ts'
import { formatMs, formatPace, formatPercent, formatSeconds } from '../../lib/format.ts'
import { Exports } from './exports.tsx'
import { correctedText, isTimed, type Result, speakersOf } from './result.ts'
import type { AudioSource } from './source.ts'
import { Speakers } from './speakers.tsx'
import { Timeline } from './timeline.tsx'
import { Turns } from './turns.tsx'

/** Options of {@link TranscriptView}. */
export interface TranscriptViewProps {
  /** From the click to the transcript, in milliseconds. */
  readonly ms: number
  readonly source: AudioSource
  readonly result: Result
  readonly onCorrect: (turn: string, text: string) => void
}

/** A transcript: the audio, who speaks when, the text to correct, and its exports. */
export function TranscriptView({ ms, source, result, onCorrect }: TranscriptViewProps): ReactElement {
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
  const player = useMediaPlayer('file' in source ? source.file : undefined)
  const { position, duration: played } = usePlayerState(player)
  const duration = Math.max(played, result.duration ?? 0, ...result.turns.map(({ end = 0 }) => end))
  const text = correctedText(result)
  const timed = result.turns.some(isTimed)
  const seek = (seconds: number): void => seekAndPlay(player, seconds)
  return (
    <section className="card transcript" aria-label="Transcript">
      <header className="transcript-head">
        <h2>Transcript</h2>
        <CopyButton text={text} what="the transcript" />
        <Exports result={result} names={names} name={source.name} />
      </header>
      {player !== undefined && <PlayerBar player={player} label="the audio" />}
      {timed && <Timeline turns={result.turns} duration={duration} position={position} onSeek={seek} />}
      {result.turns.length > 0 && (
        <Speakers
          speakers={speakersOf(result.turns)}
          names={names}
          onRename={(speaker, name) => setNames({ ...names, [speaker]: name })}
        />
      )}
      {result.turns.length > 0 ? (
        <Turns turns={result.turns} names={names} position={position} onSeek={player && seek} onCorrect={onCorrect} />
      ) : (
        <p className="transcript-text">{text === '' ? <span className="faint">No speech</span> : text}</p>
      )}
      <Measured ms={ms} text={text} said={source.said} duration={duration} />
    </section>
  )
}

function seekAndPlay(player: Player | undefined, seconds: number): void {
  player?.seek(seconds)
  player?.play().catch(() => {})
}

function Measured(props: {
  readonly ms: number
  readonly text: string
  readonly said: string | undefined
  readonly duration: number
}): ReactElement {
  const { ms, text, said, duration } = props
  const comparison = useMemo(() => (said === undefined ? undefined : compareTexts(said, text)), [said, text])
  const facts: Fact[] = [
    { name: 'Time', value: formatMs(ms) },
    { name: 'Audio', value: duration === 0 ? undefined : formatSeconds(duration) },
    { name: 'Speed', value: duration === 0 ? undefined : formatPace(ms / 1000 / duration) },
    { name: 'Words', value: String(text.split(/\s+/).filter((word) => word !== '').length) },
  ]
  if (comparison !== undefined) {
    facts.push({ name: 'Word error rate', value: formatPercent(comparison.rate), tone: toneOf(comparison) })
  }
  return (
    <>
      {comparison !== undefined && comparison.errors > 0 && (
        <div className="compared">
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
