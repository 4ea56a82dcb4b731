import { type ReactElement, type ReactNode, useState } from 'react'
import { type Player, volume } from '../audio/player.ts'
import { formatClock } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { Icon } from './icon.tsx'
import { usePlayerState } from './use-media-player.ts'
import { Waveform } from './waveform.tsx'

/** Options of {@link PlayerBar}. */
export interface PlayerBarProps {
  /** `undefined` shows an empty bar, so that nothing moves when audio comes. */
  readonly player: Player | undefined
  /** What plays, for screen readers, e.g. `the speech`. */
  readonly label: string
  /** Buttons at the end, e.g. a download. */
  readonly children?: ReactNode
  /** A bar without a waveform, for lists. */
  readonly compact?: boolean
}

/** Plays audio: play and pause, seek by click, drag and keys, volume. One clock, one position. */
export function PlayerBar({ player, label, children, compact = false }: PlayerBarProps): ReactElement {
  const state = usePlayerState(player)
  const { position, duration, open, levels } = state
  const [refused, setRefused] = useState(false)
  const playing = state.status === 'playing' || state.status === 'waiting'
  const toggle = (): void => {
    setRefused(false)
    if (playing) player?.pause()
    else player?.play().catch(() => setRefused(true))
  }
  const seek = (seconds: number): void => player?.seek(seconds)
  const empty = player === undefined || duration === 0
  return (
    <div className="player" data-compact={compact} role="group" aria-label={`Player of ${label}`}>
      {!compact && <Waveform levels={levels} position={position} duration={duration} onSeek={seek} />}
      <div className="player-controls">
        <button
          type="button"
          className="player-toggle"
          disabled={empty && !playing}
          onClick={toggle}
          aria-label={`${playing ? 'Pause' : 'Play'} ${label}`}
        >
          <Icon name={playing ? 'pause' : 'play'} />
        </button>
        <span className="clock">{formatClock(position)}</span>
        <input
          type="range"
          className="player-seek"
          aria-label={`Position in ${label}`}
          aria-valuetext={`${formatClock(position)} of ${formatClock(duration)}`}
          min={0}
          max={Math.max(duration, 0.01)}
          step={0.01}
          value={Math.min(position, duration)}
          disabled={empty}
          style={{ '--share': `${duration === 0 ? 0 : (position / duration) * 100}%` }}
          onChange={(event) => seek(event.target.valueAsNumber)}
          // The browser's steps are hundredths of a second.
          onKeyDown={(event) => {
            const step = STEPS[event.key]
            if (step === undefined) return
            event.preventDefault()
            seek(Math.max(0, Math.min(duration, position + step)))
          }}
        />
        <span className="clock">
          {formatClock(duration)}
          {open && duration > 0 ? ' …' : ''}
        </span>
        {!compact && <Volume />}
        {children}
      </div>
      {refused && (
        <p className="hint" role="alert">
          This browser cannot play the format. Download the file.
        </p>
      )}
    </div>
  )
}

/** Seconds that a key moves. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
}

function Volume(): ReactElement {
  const value = useStore(volume)
  const [before, setBefore] = useState(1)
  const mute = (): void => {
    if (value > 0) setBefore(value)
    volume.set(value > 0 ? 0 : before)
  }
  return (
    <div className="player-volume">
      <button type="button" className="icon-button" onClick={mute} aria-label={value > 0 ? 'Mute' : 'Unmute'}>
        <Icon name={value > 0 ? 'volume' : 'muted'} />
      </button>
      <input
        type="range"
        aria-label="Volume"
        min={0}
        max={1}
        step={0.05}
        value={value}
        aria-valuetext={`${Math.round(value * 100)} percent`}
        style={{ '--share': `${value * 100}%` }}
        onChange={(event) => volume.set(event.target.valueAsNumber)}
      />
    </div>
  )
}
