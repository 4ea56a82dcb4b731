import type { ReactElement, ReactNode } from 'react'
import type { Failure } from '../lib/failure.ts'
import type { Loaded } from '../lib/use-loaded.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

/** Options of {@link Empty}. */
export interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** What to do. */
  readonly children?: ReactNode
}

/** A place without content yet, and what brings some. */
export function Empty({ icon, title, children }: EmptyProps): ReactElement {
  return (
    <div className="empty">
      <span className="round">
        <Icon name={icon} />
      </span>
      <p className="empty-title">{title}</p>
      {children !== undefined && <div className="muted">{children}</div>}
    </div>
  )
}

/** Content that loads. */
export function Loading({ label }: { readonly label: string }): ReactElement {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      {label}
    </div>
  )
}

/** The state of a panel in a sentence. Screen readers announce each change. */
export function StatusLine({ text }: { readonly text: string }): ReactElement {
  return (
    <p className="hint" role="status">
      {text}
    </p>
  )
}

/** Options of {@link FailureBox}. */
export interface FailureBoxProps {
  /** `undefined` shows nothing. The region stays, so that screen readers announce a failure. */
  readonly failure: Failure | undefined
  /** Shows a Retry button. */
  readonly onRetry?: (() => void) | undefined
}

/** Why a call failed, in the service's own words, with its code. */
export function FailureBox({ failure, onRetry }: FailureBoxProps): ReactElement {
  const codes = [failure?.code, failure?.requestId].filter((part) => part !== undefined)
  return (
    <div role="alert" className="failure-region">
      {failure !== undefined && (
        <div className="failure">
          <Icon name="warning" />
          <div>
            <p>{failure.message}</p>
            {codes.length > 0 && <p className="failure-code">{codes.join(' · ')}</p>}
          </div>
          {onRetry !== undefined && (
            <Button look="small" onClick={onRetry}>
              Retry
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

/** Options of {@link LoadedState}. */
export interface LoadedStateProps {
  readonly loaded: Loaded<unknown>
  /** What loads, e.g. `the files`. */
  readonly what: string
}

/** The failure of something that loads, or that it loads for the first time. */
export function LoadedState({ loaded, what }: LoadedStateProps): ReactElement {
  const { phase, data, failure, reload } = loaded
  return (
    <>
      <FailureBox failure={failure} onRetry={reload} />
      {phase === 'loading' && data === undefined && <Loading label={`Loading ${what} …`} />}
    </>
  )
}
