import type { Voice } from '@svc-audio/core/pure'
import { type ReactElement, useState } from 'react'
import { DownloadButton } from '../../components/download-button.tsx'
import { Field } from '../../components/field.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { RunButton } from '../../components/run-button.tsx'
import { FailureBox } from '../../components/states.tsx'
import { StatusLine } from '../../components/status-line.tsx'
import { useMediaPlayer } from '../../components/use-media-player.ts'
import { useRun } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { reloadVoices } from '../../voices/use-voices.ts'
import { nameOf } from '../../voices/voice-name.ts'
import { DESCRIPTIONS } from './draft.ts'
import { MadeVoice } from './made-voice.tsx'
import { useJob } from './use-job.ts'
import type { ViewProps } from './view-props.ts'

/** A voice from a description in words. It can become a voice of the account. */
export function DesignView({ draft, onChange, onCompare, active }: ViewProps): ReactElement {
  const { client } = usePanel()
  const job = useJob()
  const [audio, setAudio] = useState<Blob>()
  const { instruction, designText } = draft
  const ready = instruction.trim() !== '' && designText.trim() !== ''
  const design = (): void =>
    job.run(async (signal) => {
      const body = { model: 'svc-voice-generator-1.0', input: designText, instruction, response_format: 'wav' } as const
      const speech = await client.voiceGenerations.create(body, { signal })
      setAudio(new Blob([await speech.bytes()], { type: speech.contentType }))
      return 'Here is the voice.'
    })
  useRun(active && ready && !job.busy, design)
  return (
    <>
      <section className="editor" aria-label="Design">
        <DesignFields draft={draft} onChange={onChange} />
        <div className="editor-foot">
          <span className="counter" />
          <RunButton
            busy={job.busy}
            label="Design voice"
            icon="voices"
            ready={ready}
            onRun={design}
            onStop={job.stop}
            hint
          />
        </div>
      </section>
      <FailureBox failure={job.failure} onRetry={design} />
      <StatusLine text={job.status} />
      {audio !== undefined && <Designed audio={audio} draft={draft} onChange={onChange} onCompare={onCompare} />}
    </>
  )
}

function DesignFields({ draft, onChange }: Pick<ViewProps, 'draft' | 'onChange'>): ReactElement {
  return (
    <div className="design-fields">
      <Field label="Description">
        {(ids) => (
          <textarea
            {...ids}
            rows={2}
            value={draft.instruction}
            placeholder="Style, age, emotion, pace"
            onChange={(event) => onChange({ ...draft, instruction: event.target.value })}
          />
        )}
      </Field>
      <div className="chips" role="group" aria-label="Descriptions">
        {DESCRIPTIONS.map(({ title, text }) => (
          <button key={title} type="button" className="chip" onClick={() => onChange({ ...draft, instruction: text })}>
            {title}
          </button>
        ))}
      </div>
      <Field label="Text">
        {(ids) => (
          <textarea
            {...ids}
            rows={2}
            value={draft.designText}
            onChange={(event) => onChange({ ...draft, designText: event.target.value })}
          />
        )}
      </Field>
    </div>
  )
}

/** The speech of a designed voice. The service returns no voice: its speech makes one. */
function Designed(props: Omit<ViewProps, 'active'> & { readonly audio: Blob }): ReactElement {
  const { audio, draft, onChange, onCompare } = props
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
      onChange({ ...draft, name: '' })
      return `Kept the voice ${nameOf(voice)}.`
    })
  return (
    <>
      <section className="card" aria-label="The designed voice">
        <PlayerBar player={player} label="the designed voice">
          <DownloadButton file={() => audio} name="designed.wav" small />
        </PlayerBar>
        <div className="keep-voice">
          <Field label="Name">
            {(ids) => (
              <input
                {...ids}
                type="text"
                value={name}
                placeholder="The narrator"
                onChange={(event) => onChange({ ...draft, name: event.target.value })}
              />
            )}
          </Field>
          <RunButton
            busy={job.busy}
            label="Keep voice"
            icon="plus"
            ready={name.trim() !== ''}
            onRun={keep}
            onStop={job.stop}
          />
        </div>
        <FailureBox failure={job.failure} onRetry={keep} />
        <StatusLine text={job.status} />
      </section>
      {made !== undefined && made.from === audio && <MadeVoice voice={made.voice} onCompare={onCompare} />}
    </>
  )
}
