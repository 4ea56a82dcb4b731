import { type CueOptions, toCues } from './cues.ts'
import type { SubtitleSource } from './pieces.ts'
import { timestamp } from './timestamp.ts'
import { linesOf } from './words.ts'

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
