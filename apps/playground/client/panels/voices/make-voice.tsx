import type { Voice } from '@svc-audio/core/pure'
import { type ReactElement, useState } from 'react'
import { useRecorder } from '../../audio/recorder.ts'
import { FileDrop, RecorderCard } from '../../components/audio-input.tsx'
import { Button, Chips, CopyButton, DownloadButton, RunButton } from '../../components/button.tsx'
import { Editor, TextField } from '../../components/form.tsx'
import { PlayerBar, useMediaPlayer } from '../../components/player-bar.tsx'
import { ErrorText, FailureBox, StatusLine, UploadProgress } from '../../components/states.tsx'
import { useJob } from '../../lib/calls.ts'
import { blobOf } from '../../lib/client.ts'
import { usePanel, useRun } from '../../shell/panel-context.ts'
import { nameOf, reloadVoices } from '../../voices/use-voices.ts'
import { PreviewButton, VoiceBadge } from '../../voices/voice-picker.tsx'
import { DESCRIPTIONS, type ViewProps } from './draft.ts'

/** A voice from a description in words. It can become a voice of the account. */
export function DesignView({ draft, change, onCompare, active }: ViewProps): ReactElement {
  const { client } = usePanel()
  const job = useJob()
  const [audio, setAudio] = useState<Blob>()
  const { instruction, designText: input } = draft
  const ready = instruction.trim() !== '' && input.trim() !== ''
  const design = (): void =>
    job.run(async (signal) => {
      const body = { model: 'svc-voice-generator-1.0', input, instruction, response_format: 'wav' } as const
      setAudio(await blobOf(await client.voiceGenerations.create(body, { signal })))
      return 'Here is the voice.'
    })
  return (
    <>
      <Editor label="Design" action="Design voice" icon="voices" hint {...{ job, active, ready }} onRun={design}>
        <div className="grid gap-4 pad-5">
          <TextField
            label="Description"
            rows={2}
            value={instruction}
            placeholder="Style, age, emotion, pace"
            onChange={(text) => change({ instruction: text })}
          />
          <Chips label="Descriptions" items={DESCRIPTIONS} onChoose={({ text }) => change({ instruction: text })} />
          <TextField label="Text" rows={2} value={input} onChange={(designText) => change({ designText })} />
        </div>
      </Editor>
      {audio !== undefined && <Designed audio={audio} draft={draft} change={change} onCompare={onCompare} />}
    </>
  )
}

/** The speech of a designed voice. The service returns no voice: its speech makes one. */
function Designed(props: Omit<ViewProps, 'active'> & { readonly audio: Blob }): ReactElement {
  const { audio, draft, change, onCompare } = props
  const { client } = usePanel()
  const job = useJob()
  const [made, setMade] = useState<{ readonly from: Blob; readonly voice: Voice }>()
  const player = useMediaPlayer(audio)
  const { name, instruction } = draft
  const keep = (): void =>
    job.run(async (signal) => {
      const audio_sample = { data: audio, name: 'designed.wav' }
      const body = { audio_sample, name: name.trim(), description: instruction }
      const voice = await client.voices.create(body, { signal })
      reloadVoices()
      setMade({ from: audio, voice })
      change({ name: '' })
      return `Kept the voice ${nameOf(voice)}.`
    })
  const run = { busy: job.busy, ready: name.trim() !== '', onRun: keep, onStop: job.stop }
  return (
    <>
      <section className="card" aria-label="The designed voice">
        <PlayerBar player={player} label="the designed voice">
          <DownloadButton file={() => audio} name="designed.wav" small />
        </PlayerBar>
        <div className="row ends wraps gap-3">
          <TextField label="Name" value={name} placeholder="The narrator" onChange={(text) => change({ name: text })} />
          <RunButton {...run} label="Keep voice" icon="plus" />
        </div>
        <FailureBox failure={job.failure} onRetry={keep} />
        <StatusLine text={job.status} />
      </section>
      {made !== undefined && made.from === audio && <MadeVoice voice={made.voice} onCompare={onCompare} />}
    </>
  )
}

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

/** A voice that was made: hear it, copy its id, or compare it. */
function MadeVoice(props: { readonly voice: Voice; readonly onCompare: (voice: Voice) => void }): ReactElement {
  const { voice, onCompare } = props
  return (
    <section className="box row wraps gap-3 pad-item" aria-label="The new voice">
      <PreviewButton voice={voice} />
      <VoiceBadge id={voice.id} name={nameOf(voice)} />
      <div className="grid gap-1 grow">
        <b>{nameOf(voice)}</b>
        <code className="muted breaks">{voice.id}</code>
      </div>
      <div className="actions">
        <CopyButton text={voice.id} what="the id of the new voice" />
        <Button icon="loop" look="small" onClick={() => onCompare(voice)}>
          Compare
        </Button>
      </div>
    </section>
  )
}
