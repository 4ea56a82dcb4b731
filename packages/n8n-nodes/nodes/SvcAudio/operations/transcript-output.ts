import type { DiarizedTranscription, Transcription, TranscriptionSegment } from '@svc-audio/core/pure'
import { renameSpeakers, toSrt, toVtt } from '@svc-audio/core/subtitles'
import type { IDataObject } from 'n8n-workflow'
import { rowsOf, rowText } from '../form.ts'
import { bytesFile, fileTarget } from './item-files.ts'
import type { Item, ItemOutput, TranscriptSettings } from './operation.ts'

/** A transcription of either model. */
export type AnyTranscription = Transcription & Partial<Pick<DiarizedTranscription, 'duration' | 'segments'>>

/** Types of the subtitles that are made here. */
const SUBTITLE_TYPES = { srt: 'application/x-subrip', vtt: 'text/vtt' } as const

/** Reads the form. @param fileId The stored file that is transcribed, if it is one. */
export function transcriptSettings(item: Item, fileId: string | undefined): TranscriptSettings {
  const { form } = item
  const format = form.choice('responseFormat')
  const rows = rowsOf(form.read('options.speakerNames'), 'name')
  const names = Object.fromEntries(rows.map((row) => [rowText(row, 'label').trim(), rowText(row, 'name')]))
  const isSubtitles = format in SUBTITLE_TYPES
  const speakers = form.boolean('options.subtitleSpeakers')
  const lineLength = form.whole('options.lineLength', 4)
  const isDeleted = fileId !== undefined && form.boolean('options.deleteFile') === true
  return {
    format,
    names,
    ...(speakers === undefined ? {} : { speakers }),
    ...(lineLength === undefined ? {} : { lineLength }),
    ...(isSubtitles && !item.isToolCall ? { target: fileTarget(item) } : {}),
    ...(isDeleted ? { deleteFile: fileId } : {}),
  }
}

/** A transcription in the chosen format. The stored file is deleted afterwards, if the form says so. */
export async function transcriptOutput(
  item: Item,
  result: AnyTranscription,
  settings: TranscriptSettings,
): Promise<ItemOutput> {
  const output = await render(item, result, settings)
  const deletion = await deleteFile(item, settings.deleteFile)
  return { ...output, json: { ...output.json, ...deletion } }
}

async function render(
  item: Item,
  result: AnyTranscription,
  { format, names, speakers, lineLength, target }: TranscriptSettings,
): Promise<ItemOutput> {
  if (format === 'text') return { json: { text: result.text } }
  const named = withNames(result, names)
  if (format === 'speakers') return { json: { text: speakerText(named) } }
  if (format !== 'srt' && format !== 'vtt') return { json: { ...named } }
  const text = subtitles(format, named, { speakers, maxCharactersPerLine: lineLength })
  if (target === undefined) return { json: { text } }
  const type = SUBTITLE_TYPES[format]
  const file = await bytesFile(item, Buffer.from(text), { format, type, target })
  return { ...file, json: { text, ...file.json } }
}

/** A transcript is not lost to a file that cannot be deleted: `fileDeleted` tells. */
async function deleteFile(item: Item, id: string | undefined): Promise<IDataObject> {
  if (id === undefined) return {}
  try {
    const audio = await item.audio()
    await audio.files.delete(id, item.call)
    return { fileDeleted: true }
  } catch {
    item.signal.throwIfAborted()
    return { fileDeleted: false }
  }
}

/** A transcription with its speakers' own names. A label without a name stays. */
function withNames<Result extends AnyTranscription>(
  transcription: Result,
  names: Readonly<Record<string, string>>,
): Result {
  return Object.keys(names).length === 0 ? transcription : renameSpeakers(transcription, names)
}

/**
 * The text with a paragraph for each turn, `Ann: Good morning.` A label that has no name reads `Speaker 1`. Without
 * segments it is the text alone.
 */
function speakerText({ text, segments = [] }: AnyTranscription): string {
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
interface SubtitlesOptions {
  /** Whether each cue names its speaker. @default true */
  readonly speakers?: boolean | undefined
  /** Longest line. @default 42 */
  readonly maxCharactersPerLine?: number | undefined
}

/**
 * Subtitles. Short audio has text without segments: it becomes one cue.
 * @throws InvalidRequestError for a line length that is too small
 */
function subtitles(
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
