import { type ReactElement, useId, useMemo, useState } from 'react'
import {
  type IntegrationInfo,
  type IntegrationRequest,
  type IntegrationResult,
  type IntegrationsResponse,
  MAX_INTEGRATION_CHARACTERS,
} from '../../../shared/api.ts'
import { Button, Icon } from '../../components/button.tsx'
import { Editor, TextArea } from '../../components/form.tsx'
import { LoadedState, StatusLine } from '../../components/states.tsx'
import { formatCount, formatMs } from '../../lib/format.ts'
import { useDraft } from '../../lib/store.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice } from '../../voices/use-voices.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { CodeBlock } from '../../code/code-tab.tsx'
import { Compared, compareTexts, ErrorRate } from '../../components/comparison.tsx'
import { PlayerBar, useMediaPlayer } from '../../components/player-bar.tsx'
import { recordingFetch } from '../../inspector/exchange.ts'
import { ask } from '../../lib/client.ts'
import { failureOf, useJob, useLoaded } from '../../lib/calls.ts'
import './integrations.css'

const FIRST_DRAFT = { text: 'There is fresh bread on the table in the kitchen.', voice: '' }

/** Runs every adapter on the server. */
export function Panel(): ReactElement {
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
  const id = useId()
  const foot = (
    <>
      <span className="hint" data-tone={excess > 0 ? 'bad' : undefined} id={id}>
        {formatCount(text.length)} of {MAX_INTEGRATION_CHARACTERS} characters
        {excess > 0 ? `: delete ${formatCount(excess)}` : ''}
      </span>
      <StatusLine text={statusOf(control)} />
    </>
  )
  return (
    <PanelFrame
      title="Integrations"
      about="The server runs each package on your text. You see the code that runs."
      settings={<VoicePicker value={voice} onChange={(chosen) => change({ voice: chosen })} />}
    >
      <Editor
        label="Text of the integrations"
        action="Run all"
        job={control}
        ready={ready && all.length > 0}
        onRun={runAll}
        foot={foot}
      >
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

function statusOf({ list, runs, busy }: ReturnType<typeof useIntegrations>): string {
  const states = (list.data ?? []).map(({ id, title }) => ({ title, run: runs[id] }))
  const running = states.find(({ run }) => run?.phase === 'running')
  if (running !== undefined) return `Running ${running.title} …`
  const done = states.filter(({ run }) => run?.phase === 'done').length
  const failed = states.filter(({ run }) => run?.phase === 'failed').length
  if (busy || done + failed === 0) return ''
  return failed === 0 ? `${done} of ${states.length} work.` : `${done} of ${states.length} work, ${failed} failed.`
}

/** One integration: its description, its result and its code. */
export function IntegrationCard(props: {
  readonly info: IntegrationInfo
  readonly run: Run | undefined
  readonly disabled: boolean
  readonly onRun: () => void
}): ReactElement {
  const { info, run, disabled, onRun } = props
  const { id, title, about, code, file } = info
  const ran = run?.phase === 'done' || run?.phase === 'failed'
  return (
    <article className="card" data-phase={run?.phase ?? 'idle'} aria-labelledby={`integration-${id}`}>
      <header className="row wraps gap-2">
        <div className="grow">
          <h2 id={`integration-${id}`}>{title}</h2>
          <p className="mono tiny muted">{info.package}</p>
        </div>
        <span className="badge muted" data-tone={run && TONES[run.phase]}>
          {ran && <Icon name={run.phase === 'done' ? 'check' : 'cross'} />}
          {wordFor(run)}
        </span>
        <Button icon={ran ? 'replay' : 'play'} look="small" disabled={disabled} onClick={onRun}>
          <span>
            {ran ? 'Run again' : 'Run'}
            <span className="visually-hidden"> {title}</span>
          </span>
        </Button>
      </header>
      <p className="muted">{about}</p>
      {run?.phase === 'failed' && (
        <p className="small breaks" data-tone="bad">
          {run.error}
        </p>
      )}
      {run?.phase === 'done' && <Outcome title={title} run={run} />}
      <details>
        <summary className="row gap-2 small">
          <Icon name="code" />
          The code that runs
        </summary>
        <CodeBlock code={code} file={file} />
      </details>
    </article>
  )
}

const TONES = { waiting: undefined, running: undefined, done: 'good', failed: 'bad' } as const
const WORDS = { waiting: 'Waiting', running: 'Running', failed: 'Failed' } as const

function wordFor(run: Run | undefined): string {
  if (run === undefined) return 'Not run yet'
  return run.phase === 'done' ? `Works, ${formatMs(run.result.ms)}` : WORDS[run.phase]
}

function Outcome({ title, run }: { readonly title: string; readonly run: Run & { phase: 'done' } }): ReactElement {
  const { audioUrl, transcript, steps } = run.result
  const comparison = useMemo(() => compareTexts(run.said, transcript), [run.said, transcript])
  const player = useMediaPlayer(audioUrl)
  return (
    <div className="stack">
      <PlayerBar player={player} label={`the speech of ${title}`} compact />
      <blockquote>
        <Compared comparison={comparison} />
      </blockquote>
      <ol className="grid gap-1 mono tiny muted" aria-label={`Steps of ${title}`}>
        {steps.map((step) => (
          <li key={step} className="row gap-2">
            <Icon name="check" />
            <span className="breaks">{step}</span>
          </li>
        ))}
      </ol>
      <p className="hint">
        Word error rate <ErrorRate comparison={comparison} />
      </p>
    </div>
  )
}

/** State of a run of an integration. */
export type Run =
  | { readonly phase: 'waiting' | 'running' }
  | { readonly phase: 'done'; readonly result: IntegrationResult; readonly said: string }
  | { readonly phase: 'failed'; readonly error: string }

/** Runs integrations on the server, one after another: parallel runs would distort the times. */
function useIntegrations() {
  const { log } = usePanel()
  const list = useLoaded(loadList)
  const [runs, setRuns] = useState<Readonly<Record<string, Run>>>({})
  const job = useJob()
  const report = (id: string, state: Run): void => setRuns((before) => ({ ...before, [id]: state }))
  const drop = (): void => setRuns(withoutOpen)
  const run = (ids: readonly string[], request: IntegrationRequest): void => {
    job.run(async (signal) => {
      for (const id of ids) report(id, { phase: 'waiting' })
      signal.addEventListener('abort', drop)
      for (const id of ids) {
        report(id, { phase: 'running' })
        const outcome = await runOne(recordingFetch(log), id, request, signal)
        signal.throwIfAborted()
        report(id, outcome)
      }
      return ''
    })
  }
  return { list, runs, busy: job.busy, run, stop: job.stop }
}

async function loadList(signal: AbortSignal): Promise<readonly IntegrationInfo[]> {
  const { integrations } = await ask<IntegrationsResponse>(fetch, '/api/integrations', { signal })
  return integrations
}

function withoutOpen(runs: Readonly<Record<string, Run>>): Readonly<Record<string, Run>> {
  return Object.fromEntries(Object.entries(runs).filter(([, { phase }]) => phase === 'done' || phase === 'failed'))
}

/** After a failure, the other integrations still run. */
async function runOne(send: typeof fetch, id: string, request: IntegrationRequest, signal: AbortSignal): Promise<Run> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(request), signal }
  return ask<IntegrationResult>(send, `/api/integrations/${id}`, init).then(
    (result) => ({ phase: 'done', result, said: request.text }),
    (error: unknown) => ({ phase: 'failed', error: failureOf(error).message }),
  )
}
