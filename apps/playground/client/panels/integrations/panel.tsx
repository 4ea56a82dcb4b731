import { type ReactElement, useId } from 'react'
import { MAX_INTEGRATION_CHARACTERS } from '../../../shared/api.ts'
import { RunButton } from '../../components/button.tsx'
import { Editor, TextArea } from '../../components/form.tsx'
import { LoadedState, StatusLine } from '../../components/states.tsx'
import { formatCount } from '../../lib/format.ts'
import { useDraft } from '../../lib/stored.ts'
import { useRun } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice } from '../../voices/use-voices.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { IntegrationCard } from './integration-card.tsx'
import { type IntegrationsControl, useIntegrations } from './use-integrations.ts'
import './integrations.css'

const FIRST_DRAFT = { text: 'There is fresh bread on the table in the kitchen.', voice: '' }

/** Runs every adapter on the server. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [draft, change] = useDraft('integrations', FIRST_DRAFT)
  const voice = useChosenVoice(draft)
  const control = useIntegrations()
  const { list, runs, busy } = control
  const all = list.data ?? []
  const text = draft.text.trim()
  const excess = text.length - MAX_INTEGRATION_CHARACTERS
  const ready = text !== '' && excess <= 0 && voice !== ''
  const runAll = (): void =>
    control.run(
      all.map(({ id }) => id),
      { text, voice },
    )
  useRun(active && ready && !busy && all.length > 0, runAll)
  const id = useId()
  const foot = (
    <>
      <span className="counter" data-bad={excess > 0} id={id}>
        {formatCount(text.length)} of {MAX_INTEGRATION_CHARACTERS} characters
        {excess > 0 ? `: delete ${formatCount(excess)}` : ''}
      </span>
      <StatusLine text={statusOf(control)} />
      <RunButton busy={busy} label="Run all" ready={ready && all.length > 0} onRun={runAll} onStop={control.stop} />
    </>
  )
  return (
    <PanelFrame
      title="Integrations"
      about="The server runs each package on your text. You see the code that runs."
      settings={<VoicePicker value={voice} onChange={(chosen) => change({ voice: chosen })} />}
    >
      <Editor label="Text of the integrations" foot={foot}>
        <TextArea
          value={draft.text}
          limit={MAX_INTEGRATION_CHARACTERS}
          describedBy={id}
          onChange={(changed) => change({ text: changed })}
        />
      </Editor>
      <LoadedState loaded={list} what="the integrations" />
      {all.map((info) => (
        <IntegrationCard
          key={info.id}
          info={info}
          run={runs[info.id]}
          disabled={busy || !ready}
          onRun={() => control.run([info.id], { text, voice })}
        />
      ))}
    </PanelFrame>
  )
}

function statusOf({ list, runs, busy }: IntegrationsControl): string {
  const states = (list.data ?? []).map(({ id, title }) => ({ title, run: runs[id] }))
  const running = states.find(({ run }) => run?.phase === 'running')
  if (running !== undefined) return `Running ${running.title} …`
  const done = states.filter(({ run }) => run?.phase === 'done').length
  const failed = states.filter(({ run }) => run?.phase === 'failed').length
  if (busy || done + failed === 0) return ''
  return failed === 0 ? `${done} of ${states.length} work.` : `${done} of ${states.length} work, ${failed} failed.`
}
