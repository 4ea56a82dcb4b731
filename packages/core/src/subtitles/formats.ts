import { type CueOptions, makeCues, toCues } from './cues.ts'
import type { SubtitlePiece, SubtitleSource } from './pieces.ts'
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

/** Options of {@link toVtt}. */
export interface VttOptions extends CueOptions {
  /** Adds a voice tag, `<v Ann>`, to each cue with a known speaker. Players do not show it. @default true */
  readonly speakers?: boolean
}

/**
 * Makes subtitles in the WebVTT format. Markup in the text is escaped.
 * @throws InvalidRequestError as `toCues()` does
 */
export function toVtt(source: SubtitleSource, options: VttOptions = {}): string {
  const cues = toCues(source, options).map(({ start, end, text, speaker }) => {
    const name = options.speakers === false || speaker === undefined ? '' : linesOf(speaker).join(' ')
    const voiced = name === '' ? escape(text) : `<v ${escape(name)}>${escape(text)}</v>`
    return `\n${timestamp(start, '.')} --> ${timestamp(end, '.')}\n${voiced}\n`
  })
  return `WEBVTT\n${cues.join('')}`
}

/** Escaping `>` also removes `-->`. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/**
 * Formats seconds as `hh:mm:ss.mmm`. Hours may have more than two digits.
 * @param mark Decimal mark: `.` in VTT, `,` in SRT
 */
export function timestamp(seconds: number, mark: ',' | '.'): string {
  const ms = Math.round(seconds * 1000)
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60]
  return `${parts.map((part) => pad(part, 2)).join(':')}${mark}${pad(ms % 1000, 3)}`
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0')
}
