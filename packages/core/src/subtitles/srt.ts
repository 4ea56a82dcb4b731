import { type CueOptions, makeCues } from './cues.ts'
import type { SubtitlePiece, SubtitleSource } from './pieces.ts'
import { timestamp } from './timestamp.ts'
import { columns, linesOf } from './words.ts'

/** Options of {@link toSrt}. */
export interface SrtOptions extends CueOptions {
  /**
   * What stands before the text of each cue whose speaker is known: `Ann: `, something of your own, or nothing. It
   * counts as part of its line, unless it takes more than half of it.
   * @default true
   */
  readonly speakers?: boolean | ((speaker: string) => string)
}

/**
 * Subtitles in the SRT format. It knows no escapes: `-->` in a text, which would read as a time, becomes `→`.
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
  // One line, whatever it was made of, but its last space stays.
  return speakers === true ? `${name}: ` : speakers(name).replaceAll(/[\s\p{Cc}]+/gu, ' ')
}

function withoutArrows(text: string): string {
  return text.replaceAll(/--+>/g, '→')
}
