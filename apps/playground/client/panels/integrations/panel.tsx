import { type ReactElement, useId } from 'react'
import { MAX_INTEGRATION_CHARACTERS } from '../../../shared/api.ts'
import { RunButton } from '../../components/run-button.tsx'
import { FailureBox, Loading } from '../../components/states.tsx'
import { StatusLine } from '../../components/status-line.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { formatCount } from '../../lib/format.ts'
import { useStored } from '../../lib/stored.ts'
import { useRun } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { defaultOf, useVoices } from '../../voices/use-voices.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { IntegrationCard } from './integration-card.tsx'
import { type IntegrationsControl, useIntegrations } from './use-integrations.ts'
import './integrations.css'

const FIRST_DRAFT = { text: 'There is fresh bread on the table in the kitchen.', voice: '' }

/** Runs every adapter on the server. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [stored, setDraft] = useStored('integrations', FIRST_DRAFT)
  const voices = useVoices()
  const draft = { ...stored, voice: stored.voice || defaultOf(voices) }
  const control = useIntegrations()
  const { list, runs, busy } = control
  const all = list.data ?? []
  const length = draft.text.trim().length
  const ready = length > 0 && length <= MAX_INTEGRATION_CHARACTERS && draft.voice !== ''
  const run = (ids: readonly string[]): void => control.run(ids, { text: draft.text.trim(), voice: draft.voice })
  const runAll = (): void => run(all.map(({ id }) => id))
  useRun(active && ready && !busy && all.length > 0, runAll)
  return (
    <PanelFrame
      title="Integrations"
      about="The server runs each package on your text. You see the code that runs."
      settings={<VoicePicker value={draft.voice} onChange={(voice) => setDraft({ ...draft, voice })} />}
    >
      <TextField text={draft.text} onChange={(text) => setDraft({ ...draft, text })}>
        <StatusLine text={statusOf(control)} />
        <RunButton busy={busy} label="Run all" ready={ready && all.length > 0} onRun={runAll} onStop={control.stop} />
      </TextField>
      {list.data === undefined && list.phase === 'loading' && <Loading label="Loading the integrations …" />}
      <FailureBox failure={list.failure} onRetry={list.reload} />
      <div className="integrations">
        {all.map((info) => (
          <IntegrationCard
            key={info.id}
            info={info}
            run={runs[info.id]}
            disabled={busy || !ready}
            onRun={() => run([info.id])}
          />
        ))}
      </div>
    </PanelFrame>
  )
}

function TextField(props: {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly children: React.ReactNode
}): ReactElement {
  const { text, onChange, children } = props
  const id = useId()
  const { length } = text.trim()
  const tooLong = length > MAX_INTEGRATION_CHARACTERS
  return (
    <section className="editor" aria-label="Text of the integrations">
      <TextArea value={text} limit={MAX_INTEGRATION_CHARACTERS} describedBy={id} onChange={onChange} />
      <div className="editor-foot">
        <span className="counter" data-bad={tooLong} id={id}>
          {formatCount(length)} of {MAX_INTEGRATION_CHARACTERS} characters
          {tooLong ? `: delete ${formatCount(length - MAX_INTEGRATION_CHARACTERS)}` : ''}
        </span>
        {children}
      </div>
    </section>
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
