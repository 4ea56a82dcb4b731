import type { ReactElement } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** Options of {@link RunButton}. */
export interface RunButtonProps {
  /** Whether the call runs. The button then stops it. */
  readonly busy: boolean
  readonly label: string
  /** @default 'play' */
  readonly icon?: IconName
  /** Whether everything is there to start. */
  readonly ready: boolean
  readonly onRun: () => void
  readonly onStop: () => void
  /** Shows the keys that do the same: Ctrl+Enter and Escape. @default false */
  readonly hint?: boolean
}

/** The main button of a panel: it starts a call and then stops it. */
export function RunButton(props: RunButtonProps): ReactElement {
  const { busy, label, icon = 'play', ready, onRun, onStop, hint = false } = props
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
      <button
        type="button"
        className="button button-primary"
        disabled={!busy && !ready}
        onClick={busy ? onStop : onRun}
      >
        <Icon name={busy ? 'stop' : icon} />
        {busy ? 'Stop' : label}
      </button>
    </>
  )
}
