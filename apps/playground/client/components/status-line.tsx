import type { ReactElement } from 'react'

/** The state of a panel in a sentence. Screen readers announce each change. */
export function StatusLine({ text }: { readonly text: string }): ReactElement {
  return (
    <p className="status" role="status">
      {text}
    </p>
  )
}
