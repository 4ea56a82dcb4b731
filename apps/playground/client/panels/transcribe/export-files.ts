import { toSrt, toVtt } from '@svc-audio/core/subtitles'
import { correctedText, isTimed, type Result } from './result.ts'
import { speakerName } from './speakers.tsx'

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
