import type { ReactElement } from 'react'

/** The colour of a speaker. Its name stands beside it. @param index Position in the order of appearance. */
export function SpeakerDot({ index }: { readonly index: number }): ReactElement {
  return <span className="speaker-dot" data-hue={Math.max(0, index) % 8} aria-hidden="true" />
}
