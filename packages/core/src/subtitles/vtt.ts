import { type CueOptions, toCues } from './cues.ts'
import type { SubtitleSource } from './pieces.ts'
import { timestamp } from './timestamp.ts'
import { linesOf } from './words.ts'

/** Options of {@link toVtt}. */
export interface VttOptions extends CueOptions {
  /** Whether a cue whose speaker is known has a voice tag, `<v Ann>`, which players do not show. @default true */
  readonly speakers?: boolean
}

/**
 * Subtitles in the WebVTT format. Text is text: what would read as markup is escaped.
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

/** Without `>` there can be no `-->` either. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
