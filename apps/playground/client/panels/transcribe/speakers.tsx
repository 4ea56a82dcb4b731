import type { ReactElement } from 'react'
import { hueStyle } from '../../lib/hue.ts'

/** The name of a speaker: the user's, else the service's label. */
export function speakerName(speaker: string, names: Readonly<Record<string, string>>): string {
  return names[speaker]?.trim() || speaker
}

/** The colour of a speaker. Its name stands beside it. @param index Position in the order of appearance. */
export function SpeakerDot({ index }: { readonly index: number }): ReactElement {
  return <span className="speaker-dot" style={hueStyle(index)} aria-hidden="true" />
}

/** Options of {@link Speakers}. */
export interface SpeakersProps {
  /** Labels of the service, such as `S01`. */
  readonly speakers: readonly string[]
  /** Names that the user gave, by label. */
  readonly names: Readonly<Record<string, string>>
  readonly onRename: (speaker: string, name: string) => void
}

/** The speakers with their colours. Their names can be changed. */
export function Speakers({ speakers, names, onRename }: SpeakersProps): ReactElement {
  return (
    <ul className="speakers" aria-label="Speakers">
      {speakers.map((speaker, index) => (
        <li key={speaker} className="speaker">
          <SpeakerDot index={index} />
          <input
            type="text"
            aria-label={`Name of ${speaker}`}
            placeholder={speaker}
            value={names[speaker] ?? ''}
            onChange={(event) => onRename(speaker, event.target.value)}
          />
        </li>
      ))}
    </ul>
  )
}
