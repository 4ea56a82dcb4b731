import type { ReactElement } from 'react'

/** What a panel is doing, in words: read out when it changes, at once when it failed. */
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
