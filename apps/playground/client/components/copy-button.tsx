import { type ReactElement, useEffect, useState } from 'react'
import { Icon } from './icon.tsx'

/** Copies a text and confirms it briefly. @param what What is copied, for screen readers. */
export function CopyButton({ text, what }: { readonly text: string; readonly what?: string }): ReactElement {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>()
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
    <button type="button" className="button button-quiet" onClick={() => void copy()}>
      <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Not allowed' : 'Copy'}</span>
      {what !== undefined && <span className="visually-hidden"> {what}</span>}
    </button>
  )
}
