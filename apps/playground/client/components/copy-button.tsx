import { type ReactElement, useEffect, useState } from 'react'
import { Button } from './button.tsx'

type Outcome = 'copied' | 'refused'

const LABELS = { copied: 'Copied', refused: 'Not allowed' } as const

/** Options of {@link CopyButton}. */
export interface CopyButtonProps {
  readonly text: string
  /** What is copied, for screen readers. */
  readonly what: string
  /** @default 'Copy' */
  readonly label?: string
}

/** Copies a text and confirms it briefly, for screen readers too. */
export function CopyButton({ text, what, label = 'Copy' }: CopyButtonProps): ReactElement {
  const [outcome, setOutcome] = useState<Outcome>()
  useEffect(() => {
    if (outcome === undefined) return undefined
    const timer = setTimeout(() => setOutcome(undefined), 2000)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    )
  }
  return (
    <>
      <Button icon={outcome === 'copied' ? 'check' : 'copy'} look="quiet" onClick={() => void copy()}>
        <span>
          {outcome === undefined ? label : LABELS[outcome]}
          <span className="visually-hidden"> {what}</span>
        </span>
      </Button>
      {/* Screen readers announce a region outside of the button. They may ignore one inside. */}
      <span className="visually-hidden" role="status">
        {announcement(outcome, what)}
      </span>
    </>
  )
}

function announcement(outcome: Outcome | undefined, what: string): string {
  if (outcome === undefined) return ''
  return outcome === 'copied' ? `Copied ${what}.` : `The browser does not allow the page to copy ${what}.`
}
