import type { ReactElement } from 'react'
import type { IntegrationInfo, IntegrationResult } from '../../shared/api.ts'
import { formatPercent } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Compared } from '../transcribe/compared.tsx'
import { Code } from './code.tsx'
import { RunBadge } from './run-badge.tsx'
import type { Run } from './use-integrations.ts'

/** Options of {@link IntegrationCard}. */
export interface IntegrationCardProps {
  readonly info: IntegrationInfo
  readonly run: Run | undefined
  /** The text of the run. */
  readonly said: string
  readonly disabled: boolean
  readonly onRun: () => void
}

/** One integration: its description, its code and its result. */
export function IntegrationCard({ info, run, said, disabled, onRun }: IntegrationCardProps): ReactElement {
  const { title, about, code, file } = info
  const ran = run?.phase === 'done' || run?.phase === 'failed'
  return (
    <article className="integration" data-phase={run?.phase ?? 'idle'} aria-labelledby={`integration-${info.id}`}>
      <div className="integration-side">
        <div className="integration-title">
          <h3 id={`integration-${info.id}`}>{title}</h3>
          <RunBadge run={run} />
        </div>
        <p className="package">{info.package}</p>
        <p className="muted">{about}</p>
        <div className="integration-outcome">
          {run?.phase === 'done' && <Outcome title={title} result={run.result} said={said} />}
          {run?.phase === 'failed' && <p className="error">{run.error}</p>}
        </div>
        <button type="button" className="button" disabled={disabled} onClick={onRun}>
          <Icon name={ran ? 'replay' : 'play'} />
          <span>
            {ran ? 'Run again' : 'Run'}
            <span className="visually-hidden"> {title}</span>
          </span>
        </button>
      </div>
      <Code code={code} file={file} />
    </article>
  )
}

function Outcome(props: {
  readonly title: string
  readonly result: IntegrationResult
  readonly said: string
}): ReactElement {
  const { audioUrl, transcript, wordErrorRate } = props.result
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the transcript stands below */}
      <audio controls preload="metadata" src={audioUrl} aria-label={`Speech made with ${props.title}`} />
      <blockquote>
        <Compared said={props.said} heard={transcript} />
      </blockquote>
      <p className="hint">
        Word error rate{' '}
        <strong data-tone={wordErrorRate <= 0.15 ? 'good' : 'bad'}>{formatPercent(wordErrorRate)}</strong>
      </p>
    </>
  )
}
