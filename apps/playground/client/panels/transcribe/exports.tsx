import type { ReactElement } from 'react'
import { toSrt, toVtt } from '@svc-audio/core/subtitles'
import { DownloadButton } from '../../components/button.tsx'
import { correctedText, isTimed, type Result } from './transcript.ts'
import { speakerName } from './turns.tsx'

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

/** Formats of an exported transcript. */
export const EXPORTS = ['json', 'srt', 'vtt'] as const

const TYPES = { json: 'application/json', srt: 'application/x-subrip', vtt: 'text/vtt' } as const

/** Returns the transcript as a file, with the corrections and the names of the speakers. */
export function exportOf(
  kind: (typeof EXPORTS)[number],
  result: Result,
  names: Readonly<Record<string, string>>,
): Blob {
  const segments = result.turns.map((turn) => ({ ...turn, speaker: speakerName(turn.speaker, names) }))
  return new Blob([textOf(kind, result, segments)], { type: TYPES[kind] })
}

function textOf(kind: (typeof EXPORTS)[number], result: Result, segments: Result['turns']): string {
  if (kind === 'json') {
    const { duration } = result
    return JSON.stringify({ text: correctedText(result), duration, segments }, undefined, 2)
  }
  const pieces = segments.filter(isTimed)
  return kind === 'srt' ? toSrt(pieces) : toVtt(pieces)
}
