import type { Voice } from '@svc-audio/core/pure'
import { type ReactElement, useState } from 'react'
import { useRecorder } from '../../audio/use-recorder.ts'
import { Button, RunButton } from '../../components/button.tsx'
import { FileDrop } from '../../components/audio-input.tsx'
import { TextField } from '../../components/form.tsx'
import { PlayerBar, useMediaPlayer } from '../../components/player-bar.tsx'
import { RecorderCard } from '../../components/recorder-card.tsx'
import { FailureBox, StatusLine, UploadProgress, ErrorText } from '../../components/states.tsx'
import { useJob } from '../../lib/calls.ts'
import { usePanel, useRun } from '../../shell/panel-context.ts'
import { nameOf, reloadVoices } from '../../voices/use-voices.ts'
import type { ViewProps } from './draft.ts'
import { MadeVoice } from './list-view.tsx'

interface Sample {
  readonly data: Blob
  readonly name: string
}

/** A voice from a recording of it. */
export function RecordView({ draft, change, onCompare, active }: ViewProps): ReactElement {
  const { client, log } = usePanel()
  const job = useJob()
  const [sample, setSample] = useState<Sample>()
  const [made, setMade] = useState<Voice>()
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
      change({ name: '', about: '' })
      return `Made the voice ${nameOf(voice)}.`
    }, sample.name)
  }
  useRun(active && ready && !job.busy, make)
  return (
    <>
      <Source sample={sample} onSample={setSample} />
      <div className="pair">
        <TextField label="Name" value={name} placeholder="Anna, reading" onChange={(text) => change({ name: text })} />
        <TextField
          label="Description (optional)"
          value={about}
          placeholder="For the long texts"
          onChange={(text) => change({ about: text })}
        />
      </div>
      <div className="row between gap-3 wraps">
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
  readonly sample: Sample | undefined
  readonly onSample: (sample: Sample | undefined) => void
}): ReactElement {
  const { sample, onSample } = props
  const recorder = useRecorder()
  const player = useMediaPlayer(sample?.data)
  if (recorder.phase !== 'idle') {
    const use = (data: Blob): void => onSample({ data, name: 'recording.wav' })
    return <RecorderCard recorder={recorder} action="Use the recording" icon="check" onUse={use} />
  }
  if (sample !== undefined) {
    return (
      <section className="card" aria-label="Recording">
        <PlayerBar player={player} label="the recording" />
        <div className="actions">
          <Button icon="cross" look="small" onClick={() => onSample(undefined)}>
            Choose another
          </Button>
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
        <Button icon="microphone" onClick={recorder.start}>
          Record
        </Button>
      </FileDrop>
      <ErrorText>{recorder.error}</ErrorText>
    </>
  )
}
