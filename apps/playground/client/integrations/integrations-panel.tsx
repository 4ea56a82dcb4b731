import { type ReactElement, useState } from 'react'
import { MAX_INTEGRATION_CHARACTERS } from '../../shared/api.ts'
import { Icon } from '../components/icon.tsx'
import { Panel } from '../components/panel.tsx'
import { StatusLine } from '../components/status-line.tsx'
import type { SpeechDraft } from '../speak/speak-form.tsx'
import { IntegrationCard } from './integration-card.tsx'
import { sampleText } from './sample-text.ts'
import { type IntegrationsControl, useIntegrations } from './use-integrations.ts'

/** Runs every adapter on the text of the Speak panel. */
export function IntegrationsPanel({ draft }: { readonly draft: SpeechDraft }): ReactElement {
  const control = useIntegrations()
  const { list, runs, busy } = control
  const text = sampleText(draft.text, MAX_INTEGRATION_CHARACTERS)
  // Compare each result with the text of its run, not with the text field.
  const [said, setSaid] = useState<Readonly<Record<string, string>>>({})
  const ready = text !== '' && draft.voice !== ''
  const run = (ids: readonly string[]): void => {
    setSaid((before) => ({ ...before, ...Object.fromEntries(ids.map((id) => [id, text])) }))
    control.run(ids, { text, voice: draft.voice })
  }
  return (
    <Panel
      className="panel-wide"
      title="Integrations"
      about="The server runs each package on your text. The page shows the code that runs."
      action={
        <div className="run-all">
          <StatusLine text={statusOf(control)} error={control.error} />
          <button
            type="button"
            className="button button-primary"
            disabled={!busy && (!ready || list.length === 0)}
            onClick={() => (busy ? control.stop() : run(list.map(({ id }) => id)))}
          >
            <Icon name={busy ? 'stop' : 'play'} />
            {busy ? 'Stop' : 'Run all'}
          </button>
        </div>
      }
    >
      <p className="sample">
        <b>Your text</b>
        <span>{text === '' ? <span className="faint">Type a text in the Speak panel.</span> : text}</span>
        {text.length < draft.text.trim().length && <span className="hint">shortened</span>}
      </p>
      <div className="integrations">
        {list.map((info) => (
          <IntegrationCard
            key={info.id}
            info={info}
            run={runs[info.id]}
            said={said[info.id] ?? ''}
            disabled={busy || !ready}
            onRun={() => run([info.id])}
          />
        ))}
      </div>
    </Panel>
  )
}

function statusOf({ list, runs, busy }: IntegrationsControl): string {
  const states = list.map(({ id, title }) => ({ title, run: runs[id] }))
  const running = states.find(({ run }) => run?.phase === 'running')
  if (running !== undefined) return `Running ${running.title} …`
  const done = states.filter(({ run }) => run?.phase === 'done').length
  const failed = states.filter(({ run }) => run?.phase === 'failed').length
  if (busy || done + failed === 0) return ''
  return failed === 0 ? `${done} of ${list.length} work.` : `${done} of ${list.length} work, ${failed} failed.`
}
