import { type ReactElement, useEffect, useState } from 'react'
import { Icon } from './icon.tsx'

/** Copies a text and confirms it briefly. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactElement {
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
      <span aria-live="polite">{outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Not allowed' : label}</span>
    </button>
  )
}
