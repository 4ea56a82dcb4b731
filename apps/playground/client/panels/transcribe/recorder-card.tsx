import type { ReactElement } from 'react'
import { Icon } from '../../components/icon.tsx'
import { LevelMeter } from '../../components/level-meter.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { useMediaPlayer } from '../../components/use-media-player.ts'
import { formatClock } from '../../lib/format.ts'
import { MAX_RECORDING_SECONDS } from '../../audio/recorder.ts'
import type { RecorderControl } from './use-recorder.ts'

/** Options of {@link RecorderCard}. */
export interface RecorderCardProps {
  readonly recorder: RecorderControl
  readonly onTranscribe: (recording: Blob) => void
}

/** A recording: while it runs, and before it is sent. It can be heard and discarded. */
export function RecorderCard({ recorder, onTranscribe }: RecorderCardProps): ReactElement {
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
            onClick={() => recording !== undefined && onTranscribe(recording)}
          >
            <Icon name="transcribe" />
            Transcribe
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
