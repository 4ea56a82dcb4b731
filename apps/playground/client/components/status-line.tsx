import type { ReactElement } from 'react'

/** The status of a panel. Screen readers announce each change, and errors at once. */
export function StatusLine({
  text,
  error,
}: {
  readonly text: string
  readonly error?: string | undefined
}): ReactElement {
  return (
    <div className="status-line">
      <p className="status" role="status">
        {error === undefined ? text : ''}
      </p>
      <div role="alert">{error !== undefined && <p className="error">{error}</p>}</div>
    </div>
  )
}
