import type { ReactElement, ReactNode } from 'react'
import { MAX_RECORDING_SECONDS } from '../audio/recorder.ts'
import type { RecorderControl } from '../audio/use-recorder.ts'
import { formatClock } from '../lib/format.ts'
import { Button } from './button.tsx'
import type { IconName } from './icon.tsx'
import { LevelMeter } from './level-meter.tsx'
import { MicrophoneField } from './microphone-field.tsx'
import { PlayerBar } from './player-bar.tsx'
import { useMediaPlayer } from './use-media-player.ts'

/** Options of {@link RecorderCard}. */
export interface RecorderCardProps {
  readonly recorder: RecorderControl
  /** The verb of the button for a complete recording, e.g. `Transcribe`. */
  readonly action: string
  readonly icon: IconName
  /** Called with the recording, which the recorder then no longer has. */
  readonly onUse: (recording: Blob) => void
  /** What is known of the recording while it runs, e.g. its text. */
  readonly children?: ReactNode
}

/** A recording: while it runs, and before it is used. It can be heard and discarded. */
export function RecorderCard({ recorder, action, icon, onUse, children }: RecorderCardProps): ReactElement {
  const { phase, recording, seconds, level, devices, device, choose, finish, discard } = recorder
  const player = useMediaPlayer(recording)
  const isRunning = phase === 'recording'
  const use = (): void => {
    if (recording === undefined) return
    discard()
    onUse(recording)
  }
  return (
    <section className="card" aria-label="Recording">
      {isRunning ? (
        <>
          <p className="cell recorder-clock">
            <span className="recorder-dot" aria-hidden="true" />
            <span className="clock">{formatClock(seconds)}</span>
            <span className="hint">
              of {formatClock(MAX_RECORDING_SECONDS)}: the page holds the recording in memory until you send it
            </span>
          </p>
          <LevelMeter label="Level of the microphone" level={level} />
          <MicrophoneField devices={devices} device={device} choose={choose} />
          {children}
        </>
      ) : (
        <PlayerBar player={player} label="the recording" />
      )}
      <div className="actions">
        <Button
          look="primary"
          icon={isRunning ? 'stop' : icon}
          disabled={!isRunning && recording === undefined}
          onClick={isRunning ? finish : use}
        >
          {isRunning ? 'Stop' : action}
        </Button>
        <Button icon="trash" onClick={discard}>
          Discard
        </Button>
      </div>
    </section>
  )
}
