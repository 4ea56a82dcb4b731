import type { ReactElement, ReactNode } from 'react'
import type { Failure } from '../lib/failure.ts'
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
      <span className="empty-icon">
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

/** Options of {@link FailureBox}. */
export interface FailureBoxProps {
  /** `undefined` shows nothing. The region stays, so that screen readers announce a failure. */
  readonly failure: Failure | undefined
  /** Shows a Retry button. */
  readonly onRetry?: () => void
}

/** Why a call failed, in the service's own words, with its code. */
export function FailureBox({ failure, onRetry }: FailureBoxProps): ReactElement {
  return (
    <div role="alert" className="failure-region">
      {failure !== undefined && (
        <div className="failure">
          <Icon name="warning" />
          <div>
            <p>{failure.message}</p>
            {(failure.code !== undefined || failure.requestId !== undefined) && (
              <p className="failure-code">
                {[failure.code, failure.requestId].filter((part) => part !== undefined).join(' · ')}
              </p>
            )}
          </div>
          {onRetry !== undefined && (
            <button type="button" className="button button-small" onClick={onRetry}>
              Retry
            </button>
          )}
        </div>
      )}
    </div>
  )
}
