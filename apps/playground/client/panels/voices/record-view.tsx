import type { Voice } from '@svc-audio/core/pure'
import { type ReactElement, useState } from 'react'
import { useRecorder } from '../../audio/use-recorder.ts'
import { Field } from '../../components/field.tsx'
import { FileDrop } from '../../components/file-drop.tsx'
import { Icon } from '../../components/icon.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { RecorderCard } from '../../components/recorder-card.tsx'
import { RunButton } from '../../components/run-button.tsx'
import { FailureBox } from '../../components/states.tsx'
import { StatusLine } from '../../components/status-line.tsx'
import { UploadProgress } from '../../components/upload-progress.tsx'
import { useMediaPlayer } from '../../components/use-media-player.ts'
import { useRun } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { reloadVoices } from '../../voices/use-voices.ts'
import { nameOf } from '../../voices/voice-name.ts'
import type { ViewProps } from './view-props.ts'
import { MadeVoice } from './made-voice.tsx'
import { useJob } from './use-job.ts'

/** A voice from a recording of it. */
export function RecordView({ draft, onChange, onCompare, active }: ViewProps): ReactElement {
  const { client, log } = usePanel()
  const recorder = useRecorder()
  const job = useJob()
  const [sample, setSample] = useState<{ readonly data: Blob; readonly name: string }>()
  const [made, setMade] = useState<Voice>()
  const player = useMediaPlayer(sample?.data)
  const { name, about } = draft
  const ready = sample !== undefined && name.trim() !== ''
  const make = (): void => {
    if (sample === undefined) return
    job.run(async (signal) => {
      const description = about.trim() === '' ? {} : { description: about.trim() }
      const voice = await client.voices.create({ audio_sample: sample, name: name.trim(), ...description }, { signal })
      reloadVoices()
      setMade(voice)
      setSample(undefined)
      onChange({ ...draft, name: '', about: '' })
      return `Made the voice ${nameOf(voice)}.`
    }, sample.name)
  }
  useRun(active && ready && !job.busy, make)
  return (
    <>
      <Source
        recorder={recorder}
        sample={sample === undefined ? undefined : <PlayerBar player={player} label="the recording" />}
        onSample={setSample}
      />
      <div className="voice-fields">
        <Field label="Name">
          {(ids) => (
            <input
              {...ids}
              type="text"
              value={name}
              placeholder="Anna, reading"
              onChange={(event) => onChange({ ...draft, name: event.target.value })}
            />
          )}
        </Field>
        <Field label="Description (optional)">
          {(ids) => (
            <input
              {...ids}
              type="text"
              value={about}
              placeholder="For the long texts"
              onChange={(event) => onChange({ ...draft, about: event.target.value })}
            />
          )}
        </Field>
      </div>
      <div className="voice-foot">
        <p className="hint">Use recordings only of people who agree.</p>
        <RunButton busy={job.busy} label="Make voice" icon="plus" ready={ready} onRun={make} onStop={job.stop} hint />
      </div>
      {job.busy && sample !== undefined && (
        <UploadProgress log={log} name={sample.name} size={sample.data.size} next={`Making the voice ${name.trim()}`} />
      )}
      <FailureBox failure={job.failure} onRetry={make} />
      <StatusLine text={job.status} />
      {made !== undefined && <MadeVoice voice={made} onCompare={onCompare} />}
    </>
  )
}

function Source(props: {
  readonly recorder: ReturnType<typeof useRecorder>
  readonly sample: ReactElement | undefined
  readonly onSample: (sample: { readonly data: Blob; readonly name: string } | undefined) => void
}): ReactElement {
  const { recorder, sample, onSample } = props
  if (recorder.phase !== 'idle') {
    return (
      <RecorderCard
        recorder={recorder}
        action="Use the recording"
        icon="check"
        onUse={(data) => {
          recorder.discard()
          onSample({ data, name: 'recording.wav' })
        }}
      />
    )
  }
  if (sample !== undefined) {
    return (
      <section className="card" aria-label="Recording">
        {sample}
        <div className="actions">
          <button type="button" className="button button-small" onClick={() => onSample(undefined)}>
            <Icon name="cross" />
            Choose another
          </button>
        </div>
      </section>
    )
  }
  return (
    <>
      <FileDrop
        title="Drop a recording of the voice here"
        label="Recording of the voice"
        hint="One person who speaks, without music: 1 second to 5 minutes, up to 20 MB"
        onFile={(data) => onSample({ data, name: data.name })}
      >
        <button type="button" className="button" onClick={recorder.start}>
          <Icon name="microphone" />
          Record
        </button>
      </FileDrop>
      {recorder.error !== undefined && (
        <p className="error-text" role="alert">
          {recorder.error}
        </p>
      )}
    </>
  )
}
