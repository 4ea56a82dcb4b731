import { type ReactElement, useMemo } from 'react'
import type { IntegrationInfo } from '../../../shared/api.ts'
import { CodeBlock } from '../../code/code-block.tsx'
import { compareTexts } from '../../compare/compare-texts.ts'
import { Compared, ErrorRate } from '../../compare/compared.tsx'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { useMediaPlayer } from '../../components/use-media-player.ts'
import { formatMs } from '../../lib/format.ts'
import type { Run } from './use-integrations.ts'

/** Options of {@link IntegrationCard}. */
export interface IntegrationCardProps {
  readonly info: IntegrationInfo
  readonly run: Run | undefined
  readonly disabled: boolean
  readonly onRun: () => void
}

/** One integration: its description, its result and its code. */
export function IntegrationCard({ info, run, disabled, onRun }: IntegrationCardProps): ReactElement {
  const { id, title, about, code, file } = info
  const ran = run?.phase === 'done' || run?.phase === 'failed'
  return (
    <article className="card" data-phase={run?.phase ?? 'idle'} aria-labelledby={`integration-${id}`}>
      <header className="integration-head">
        <div>
          <h2 id={`integration-${id}`}>{title}</h2>
          <p className="package">{info.package}</p>
        </div>
        <span className="badge" data-phase={run?.phase ?? 'idle'}>
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
      {run?.phase === 'failed' && <p className="error-text">{run.error}</p>}
      {run?.phase === 'done' && <Outcome title={title} run={run} />}
      <details className="integration-code">
        <summary className="cell hint">
          <Icon name="code" />
          The code that runs
        </summary>
        <CodeBlock code={code} file={file} />
      </details>
    </article>
  )
}

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
      <ol className="integration-steps" aria-label={`Steps of ${title}`}>
        {steps.map((step) => (
          <li key={step}>
            <Icon name="check" />
            <span>{step}</span>
          </li>
        ))}
      </ol>
      <p className="hint">
        Word error rate <ErrorRate comparison={comparison} />
      </p>
    </div>
  )
}
