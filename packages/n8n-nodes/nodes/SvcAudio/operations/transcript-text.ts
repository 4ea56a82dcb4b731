import type { DiarizedTranscription, Transcription, TranscriptionSegment } from '@svc-audio/core/pure'
import { renameSpeakers, toSrt, toVtt } from '@svc-audio/core/subtitles'
import type { TranscriptSettings } from './operation.ts'

/** A transcription of either model. */
export type AnyTranscription = Transcription & Partial<Pick<DiarizedTranscription, 'duration' | 'segments'>>

/** Media types of the forms that a transcript has as a file. */
export const TRANSCRIPT_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  markdown: 'text/markdown',
  srt: 'application/x-subrip',
  text: 'text/plain',
  vtt: 'text/vtt',
}

/** Forms that need a model that tells speakers apart. */
export const OF_SPEAKERS: ReadonlySet<string> = new Set(['markdown', 'speakers', 'srt', 'vtt'])

/**
 * The number of a speaker in words of people: `1` for S01, s1, Speaker 1 and 1.
 * @returns `undefined` for other words
 */
export function speakerNumber(words: string): string | undefined {
  return /^(?:s|spk|speaker)?[\s_#-]*0*(\d{1,4})$/i.exec(words.trim())?.[1]
}

/**
 * A transcription with its speakers' own names. A speaker without a name keeps the label.
 * @param names Names by number of the speaker.
 */
export function withNames<Result extends AnyTranscription>(
  transcription: Result,
  names: Readonly<Record<string, string>>,
): Result {
  const labels = new Set(transcription.segments?.map(({ speaker }) => speaker))
  const found = [...labels].flatMap((label): [string, string][] => {
    const name = names[speakerNumber(label) ?? '']
    return name === undefined ? [] : [[label, name]]
  })
  return found.length === 0 ? transcription : renameSpeakers(transcription, Object.fromEntries(found))
}

/**
 * A transcription in one of the forms for people.
 * @param format A form of {@link TRANSCRIPT_TYPES}, or `speakers`.
 * @throws InvalidRequestError for a line length that is too small
 */
export function transcriptText(
  transcription: AnyTranscription,
  format: string,
  { speakers = true, lineLength, fileName }: Pick<TranscriptSettings, 'speakers' | 'lineLength' | 'fileName'>,
): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(transcription, undefined, 2)}\n`
    case 'speakers':
      return turnsText(transcription, ({ speaker, text }) => `${speaker}: ${text}`)
    case 'markdown':
      return minutes(transcription, fileName)
    case 'srt':
    case 'vtt': {
      const options = { speakers, ...(lineLength === undefined ? {} : { maxCharactersPerLine: lineLength }) }
      return format === 'srt' ? toSrt(cues(transcription), options) : toVtt(cues(transcription), options)
    }
    default:
      return transcription.text
  }
}

/** What one speaker says until the next one speaks. */
interface Turn {
  /** The name, or `Speaker 1`. */
  readonly speaker: string
  /** Second of the recording. */
  readonly start: number
  readonly text: string
}

/** The minutes of a recording in Markdown, `**Ann** [00:03] Good morning.` */
function minutes(transcription: AnyTranscription, title: string): string {
  const turn = ({ speaker, start, text }: Turn): string => `**${escaped(speaker)}** [${clock(start)}] ${escaped(text)}`
  const body = turnsText({ ...transcription, text: escaped(transcription.text) }, turn)
  return `# ${escaped(title)}\n\n${body}${body === '' ? '' : '\n'}`
}

/** A paragraph for each turn. Without segments it is the text alone. */
function turnsText({ text, segments = [] }: AnyTranscription, paragraph: (turn: Turn) => string): string {
  const turns: { speaker: string; start: number; texts: string[] }[] = []
  for (const { speaker, start, text: said } of segments) {
    const last = turns.at(-1)
    if (last?.speaker === speaker) last.texts.push(said.trim())
    else turns.push({ speaker, start, texts: [said.trim()] })
  }
  if (turns.length === 0) return text
  return turns
    .map(({ speaker, start, texts }) => paragraph({ speaker: readable(speaker), start, text: texts.join(' ') }))
    .join('\n\n')
}

/** Cues of subtitles. Short audio has text without segments: it becomes one cue. */
function cues({
  text,
  duration,
  segments = [],
}: AnyTranscription): readonly Pick<TranscriptionSegment, 'start' | 'end' | 'text'>[] {
  return segments.length > 0 || text.trim() === ''
    ? segments.map((segment) => ({ ...segment, speaker: readable(segment.speaker) }))
    : [{ start: 0, end: duration ?? 1, text }]
}

/** `S01` is the service's label (interface: segments[].speaker). */
function readable(speaker: string): string {
  const [, number] = /^S0*(\d+)$/.exec(speaker) ?? []
  return number === undefined ? speaker : `Speaker ${number}`
}

/** Seconds as `03:07`, and as `1:03:07` from an hour on. */
function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minute, second] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = [minute, second].map((part) => String(part).padStart(2, '0')).join(':')
  return hours === 0 ? two : `${hours}:${two}`
}

/** A text without the marks of Markdown. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#]/g, String.raw`\$&`)
}
