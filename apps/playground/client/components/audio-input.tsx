import './audio-input.css'
import { type DragEvent, type ReactElement, type ReactNode, useRef, useState } from 'react'
import type { Level } from '../audio/recorder.worklet.ts'
import { MAX_RECORDING_SECONDS, type Microphones, type RecorderControl } from '../audio/recorder.ts'
import { formatClock } from '../lib/format.ts'
import { useLeaveQuestion } from '../lib/hooks.ts'
import { createStore, type Store, useStore } from '../lib/store.ts'
import { Button, type IconName } from './button.tsx'
import { SelectField } from './form.tsx'
import { PlayerBar, useMediaPlayer } from './player-bar.tsx'

/** Files that the service reads (interface: transcription). */
const ACCEPT = 'audio/*,video/mp4,video/mpeg,video/quicktime,video/webm'

const HINT = 'WAV, FLAC, OGG, OPUS, M4A, MP4, WebM and more, up to 512 MiB'

/** Accepts dropped or chosen files of audio. */
export function FileDrop(props: {
  readonly title: string
  /** Name of the file control, for screen readers. */
  readonly label: string
  readonly onFile: (file: File) => void
  /** Whether several files can be given at once. `onFile` is called for each, in order. @default false */
  readonly many?: boolean
  /** What the service takes. @default the formats and the size of a transcription */
  readonly hint?: string
  /** Other sources of audio, beside the file button. */
  readonly children?: ReactNode
}): ReactElement {
  const { title, label, onFile, many = false, hint = HINT, children } = props
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const take = (files: FileList | null | undefined): void => {
    for (const file of [...(files ?? [])].slice(0, many ? undefined : 1)) onFile(file)
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files)
  }
  return (
    <div
      className="drop-zone row wraps between gap-3"
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div>
        {/* Nothing can be dropped on a phone: its buttons are enough. */}
        <p className="strong wide-only">{title}</p>
        <p className="hint">{hint}</p>
      </div>
      <div className="actions">
        <input
          ref={input}
          type="file"
          accept={ACCEPT}
          multiple={many}
          className="visually-hidden"
          tabIndex={-1}
          aria-label={label}
          onChange={(event) => {
            take(event.target.files)
            // Lets the user choose the same file again.
            event.target.value = ''
          }}
        />
        <Button icon="file" onClick={() => input.current?.click()}>
          {many ? 'Choose files' : 'Choose a file'}
        </Button>
        {children}
      </div>
    </div>
  )
}

/** Takes the last complete speech of the page. */
export function LastSpeechButton(props: {
  /** Takes the audio, with the text that it speaks. */
  readonly onUse: (speech: { readonly data: Blob; readonly name: string; readonly said: string }) => void
}): ReactElement {
  const speech = useStore(lastSpeech)
  const use = async (): Promise<void> => {
    if (speech !== undefined) props.onUse({ data: await speech.file(), name: speech.name, said: speech.text })
  }
  return (
    <Button icon="arrow" disabled={speech === undefined} onClick={() => void use()}>
      Use the last speech
    </Button>
  )
}

/** Speech of one panel that another can use. */
export interface LastSpeech {
  readonly text: string
  readonly name: string
  readonly file: () => Blob | Promise<Blob>
}

/** The last complete speech of the page. */
export const lastSpeech: Store<LastSpeech | undefined> = createStore<LastSpeech | undefined>(undefined)

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
  useLeaveQuestion(phase !== 'idle')
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
