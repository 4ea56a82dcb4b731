import { type CueOptions, makeCues } from './cues.ts'
import type { SubtitlePiece, SubtitleSource } from './pieces.ts'
import { timestamp } from './timestamp.ts'
import { columns, linesOf } from './words.ts'

/** Options of {@link toSrt}. */
export interface SrtOptions extends CueOptions {
  /**
   * Prefix of each cue with a known speaker: `Ann: `, your own, or none. It counts as part of its line, unless it takes
   * more than half the line.
   * @default true
   */
  readonly speakers?: boolean | ((speaker: string) => string)
}

/**
 * Makes subtitles in the SRT format. SRT has no escapes, so `-->` in a text becomes `→`.
 * @throws InvalidRequestError as `toCues()` does
 * @example
 * await writeFile('talk.srt', toSrt(await audio.transcriptions.create({ model: 'svc-transcribe-diarize-pro', file })))
 */
export function toSrt(source: SubtitleSource, options: SrtOptions = {}): string {
  const prefix = (piece: SubtitlePiece): string => prefixOf(piece, options.speakers ?? true)
  const cues = makeCues(source, options, (piece) => columns(prefix(piece)))
  return cues
    .map((cue, index) => {
      const times = `${timestamp(cue.start, ',')} --> ${timestamp(cue.end, ',')}`
      return `${index + 1}\n${times}\n${withoutArrows(prefix(cue) + cue.text)}\n`
    })
    .join('\n')
}

function prefixOf({ speaker }: SubtitlePiece, speakers: boolean | ((speaker: string) => string)): string {
  if (speakers === false || typeof speaker !== 'string') return ''
  const name = linesOf(speaker).join(' ')
  if (name === '') return ''
  // Joins the prefix into one line. Its last space stays.
  return speakers === true ? `${name}: ` : speakers(name).replaceAll(/[\s\p{Cc}]+/gu, ' ')
}

function withoutArrows(text: string): string {
  return text.replaceAll(/--+>/g, '→')
}
