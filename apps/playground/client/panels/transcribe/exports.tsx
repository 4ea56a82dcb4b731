import type { ReactElement } from 'react'
import { DownloadButton } from '../../components/download-button.tsx'
import { exportOf, EXPORTS } from './export-files.ts'
import { isTimed, type Result } from './result.ts'

/** Options of {@link Exports}. */
export interface ExportsProps {
  readonly result: Result
  readonly names: Readonly<Record<string, string>>
  /** Name of the audio. */
  readonly name: string
}

/** Saves the transcript with its corrections and names. Subtitles need times. */
export function Exports({ result, names, name }: ExportsProps): ReactElement {
  const timed = result.turns.some(isTimed)
  const base = name.replace(/\.\w+$/, '')
  return (
    <div className="actions">
      {EXPORTS.map((kind) => (
        <DownloadButton
          key={kind}
          small
          label={kind.toUpperCase()}
          name={`${base}.${kind}`}
          file={kind === 'json' || timed ? () => exportOf(kind, result, names) : undefined}
        />
      ))}
    </div>
  )
}
