import type { Voice } from '@svc-audio/core/pure'
import { type ReactElement, useState } from 'react'
import { Chips, DownloadButton, RunButton } from '../../components/button.tsx'
import { Editor, TextField } from '../../components/form.tsx'
import { PlayerBar, useMediaPlayer } from '../../components/player-bar.tsx'
import { FailureBox, StatusLine } from '../../components/states.tsx'
import { blobOf } from '../../lib/client.ts'
import { useJob } from '../../lib/calls.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { nameOf, reloadVoices } from '../../voices/use-voices.ts'
import { DESCRIPTIONS, type ViewProps } from './draft.ts'
import { MadeVoice } from './list-view.tsx'

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
