import type { DiarizedTranscription, Transcription, TranscriptionSegment } from '@svc-audio/core/pure'
import { renameSpeakers, toSrt, toVtt } from '@svc-audio/core/subtitles'

/** A transcription of either model. */
export type AnyTranscription = Transcription & Partial<Pick<DiarizedTranscription, 'duration' | 'segments'>>

/** A transcription with its speakers' own names. A label without a name stays. */
export function withNames<Result extends AnyTranscription>(
  transcription: Result,
  names: Readonly<Record<string, string>>,
): Result {
  return Object.keys(names).length === 0 ? transcription : renameSpeakers(transcription, names)
}

/**
 * The text with a paragraph for each turn, `Ann: Good morning.` A label that has no name reads `Speaker 1`. Without
 * segments it is the text alone.
 */
export function speakerText({ text, segments = [] }: AnyTranscription): string {
  const turns: { speaker: string; texts: string[] }[] = []
  for (const { speaker, text: said } of segments) {
    const last = turns.at(-1)
    if (last?.speaker === speaker) last.texts.push(said.trim())
    else turns.push({ speaker, texts: [said.trim()] })
  }
  if (turns.length === 0) return text
  return turns.map(({ speaker, texts }) => `${readable(speaker)}: ${texts.join(' ')}`).join('\n\n')
}

/** What the options of the form say about subtitles. */
export interface SubtitlesOptions {
  /** Whether each cue names its speaker. @default true */
  readonly speakers?: boolean | undefined
  /** Longest line. @default 42 */
  readonly maxCharactersPerLine?: number | undefined
}

/**
 * Subtitles. Short audio has text without segments: it becomes one cue.
 * @throws InvalidRequestError for a line length that is too small
 */
export function subtitles(
  format: 'srt' | 'vtt',
  { text, duration, segments = [] }: AnyTranscription,
  { speakers = true, maxCharactersPerLine }: SubtitlesOptions = {},
): string {
  const cues: readonly Pick<TranscriptionSegment, 'start' | 'end' | 'text'>[] =
    segments.length > 0 || text.trim() === ''
      ? segments.map((segment) => ({ ...segment, speaker: readable(segment.speaker) }))
      : [{ start: 0, end: duration ?? 1, text }]
  const options = { speakers, ...(maxCharactersPerLine === undefined ? {} : { maxCharactersPerLine }) }
  return format === 'srt' ? toSrt(cues, options) : toVtt(cues, options)
}

/** `S01` is the service's label (interface: segments[].speaker). */
function readable(speaker: string): string {
  const [, number] = /^S0*(\d+)$/.exec(speaker) ?? []
  return number === undefined ? speaker : `Speaker ${number}`
}
