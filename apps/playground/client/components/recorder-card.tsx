import type { ReactElement, ReactNode } from 'react'
import { MAX_RECORDING_SECONDS } from '../audio/recorder.ts'
import type { RecorderControl } from '../audio/use-recorder.ts'
import { formatClock } from '../lib/format.ts'
import { Button, type IconName } from './button.tsx'
import { PlayerBar, useMediaPlayer } from './player-bar.tsx'
import type { Microphones } from '../audio/microphone.ts'
import { SelectField } from './form.tsx'
import type { Level } from '../audio/level.ts'

/** A recording: while it runs, and before it is used. It can be heard and discarded. */
export function RecorderCard(props: {
  readonly recorder: RecorderControl
  /** The verb of the button for a complete recording, e.g. `Transcribe`. */
  readonly action: string
  readonly icon: IconName
  /** Called with the recording, which the recorder then no longer has. */
  readonly onUse: (recording: Blob) => void
  /** What is known of the recording while it runs, e.g. its text. */
  readonly children?: ReactNode
}): ReactElement {
  const { recorder, action, icon, onUse, children } = props
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
          <p className="row gap-2">
            <span className="dot" style={{ '--hue': 'var(--bad)' }} aria-hidden="true" />
            <span className="clock large">{formatClock(seconds)}</span>
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

/** The choice of the microphone. One alone is no choice. */
export function MicrophoneField(props: Pick<Microphones, 'devices' | 'device' | 'choose'>): ReactElement | false {
  const { devices, device, choose } = props
  const named = devices.map(({ deviceId, label }) => ({ value: deviceId, label: label || deviceId }))
  const options = [{ value: '', label: "The browser's choice" }, ...named]
  return devices.length > 1 && <SelectField label="Microphone" value={device} options={options} onChange={choose} />
}

/** Quietest level on the meter, in decibels below full scale. */
const FLOOR = -60

/** Shows the current loudness in decibels. The thin mark is the peak. */
export function LevelMeter({ label, level }: { readonly label: string; readonly level: Level }): ReactElement {
  const rms = decibels(level.rms)
  return (
    <div
      className="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={FLOOR}
      aria-valuemax={0}
      aria-valuenow={Math.round(rms)}
      aria-valuetext={level.rms === 0 ? 'silent' : `${Math.round(rms)} decibels`}
    >
      <div className="meter-bar" style={{ clipPath: `inset(0 ${100 - share(rms)}% 0 0 round 3px)` }} />
      <div className="meter-peak" style={{ left: `${share(decibels(level.peak))}%` }} hidden={level.peak === 0} />
    </div>
  )
}

function decibels(amplitude: number): number {
  return amplitude === 0 ? FLOOR : Math.max(FLOOR, Math.min(0, 20 * Math.log10(amplitude)))
}

function share(db: number): number {
  return ((db - FLOOR) / -FLOOR) * 100
}
