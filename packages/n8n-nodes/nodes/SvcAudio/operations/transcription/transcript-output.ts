import type { IDataObject } from 'n8n-workflow'
import { rowsOf, rowText } from '../../form/rows.ts'
import type { TranscriptSettings } from '../../long-work/plan.ts'
import { bytesFile } from '../audio-output.ts'
import { fileTarget } from '../file-target.ts'
import type { Item } from '../item.ts'
import type { ItemOutput } from '../operation.ts'
import { type AnyTranscription, speakerText, subtitles, withNames } from './transcript-text.ts'

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
