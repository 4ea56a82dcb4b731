import { type ReactElement, useMemo } from 'react'
import type { IntegrationInfo } from '../../../shared/api.ts'
import { CodeBlock } from '../../code/code-block.tsx'
import { compareTexts } from '../../compare/compare-texts.ts'
import { Compared } from '../../compare/compared.tsx'
import { Icon } from '../../components/icon.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { useMediaPlayer } from '../../components/use-media-player.ts'
import { formatPercent } from '../../lib/format.ts'
import { RunBadge } from './run-badge.tsx'
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
    <article className="card integration" data-phase={run?.phase ?? 'idle'} aria-labelledby={`integration-${id}`}>
      <header className="integration-head">
        <div>
          <h2 id={`integration-${id}`}>{title}</h2>
          <p className="package">{info.package}</p>
        </div>
        <RunBadge run={run} />
        <button type="button" className="button button-small" disabled={disabled} onClick={onRun}>
          <Icon name={ran ? 'replay' : 'play'} />
          <span>
            {ran ? 'Run again' : 'Run'}
            <span className="visually-hidden"> {title}</span>
          </span>
        </button>
      </header>
      <p className="muted">{about}</p>
      {run?.phase === 'failed' && <p className="error-text integration-error">{run.error}</p>}
      {run?.phase === 'done' && <Outcome title={title} run={run} />}
      <details className="integration-code">
        <summary>
          <Icon name="code" />
          The code that runs
        </summary>
        <CodeBlock code={code} file={file} />
      </details>
    </article>
  )
}

function Outcome({ title, run }: { readonly title: string; readonly run: Run & { phase: 'done' } }): ReactElement {
  const { audioUrl, transcript, steps } = run.result
  const comparison = useMemo(() => compareTexts(run.said, transcript), [run.said, transcript])
  const player = useMediaPlayer(audioUrl)
  return (
    <div className="integration-outcome">
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
        Word error rate{' '}
        <strong data-tone={comparison.rate <= 0.15 ? 'good' : 'bad'}>{formatPercent(comparison.rate)}</strong>
      </p>
    </div>
  )
}
