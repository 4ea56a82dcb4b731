import type { ReactElement } from 'react'
import { Icon, type IconName } from '../../components/icon.tsx'
import type { Job } from './use-job.ts'

/** Options of {@link JobButton}. */
export interface JobButtonProps {
  readonly job: Job
  readonly label: string
  readonly icon: IconName
  readonly ready: boolean
  readonly onRun: () => void
  /** Whether Ctrl+Enter runs it. */
  readonly hint?: boolean
}

/** The button that starts a call and then stops it. */
export function JobButton({ job, label, icon, ready, onRun, hint = true }: JobButtonProps): ReactElement {
  const { busy, stop } = job
  return (
    <>
      {hint && (
        <span className="key-hint" aria-hidden="true">
          {busy ? (
            <kbd>Esc</kbd>
          ) : (
            <>
              <kbd>Ctrl</kbd>
              <kbd>Enter</kbd>
            </>
          )}
        </span>
      )}
      <button type="button" className="button button-primary" disabled={!busy && !ready} onClick={busy ? stop : onRun}>
        <Icon name={busy ? 'stop' : icon} />
        {busy ? 'Stop' : label}
      </button>
    </>
  )
}
