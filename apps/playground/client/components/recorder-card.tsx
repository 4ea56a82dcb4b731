import type { ReactElement } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { LevelMeter } from './level-meter.tsx'
import { PlayerBar } from './player-bar.tsx'
import { useMediaPlayer } from './use-media-player.ts'
import { formatClock } from '../lib/format.ts'
import { MAX_RECORDING_SECONDS } from '../audio/recorder.ts'
import type { RecorderControl } from '../audio/use-recorder.ts'
import './recorder-card.css'

/** Options of {@link RecorderCard}. */
export interface RecorderCardProps {
  readonly recorder: RecorderControl
  /** The verb of the button for a complete recording, e.g. `Transcribe`. */
  readonly action: string
  readonly icon: IconName
  readonly onUse: (recording: Blob) => void
}

/** A recording: while it runs, and before it is used. It can be heard and discarded. */
export function RecorderCard({ recorder, action, icon, onUse }: RecorderCardProps): ReactElement {
  const { phase, recording, seconds, level, finish, discard } = recorder
  const player = useMediaPlayer(recording)
  return (
    <section className="card recorder" aria-label="Recording">
      {phase === 'recording' ? (
        <>
          <p className="recorder-clock">
            <span className="recorder-dot" aria-hidden="true" />
            <span className="clock">{formatClock(seconds)}</span>
            <span className="hint">of {formatClock(MAX_RECORDING_SECONDS)}</span>
          </p>
          <LevelMeter label="Level of the microphone" level={level} />
        </>
      ) : (
        <PlayerBar player={player} label="the recording" />
      )}
      <div className="actions">
        {phase === 'recording' ? (
          <button type="button" className="button button-primary" onClick={finish}>
            <Icon name="stop" />
            Stop
          </button>
        ) : (
          <button
            type="button"
            className="button button-primary"
            disabled={recording === undefined}
            onClick={() => recording !== undefined && onUse(recording)}
          >
            <Icon name={icon} />
            {action}
          </button>
        )}
        <button type="button" className="button" onClick={discard}>
          <Icon name="trash" />
          Discard
        </button>
      </div>
    </section>
  )
}
