import type { IBinaryKeyData, IDataObject } from 'n8n-workflow'
import { rowsOf, rowText, toText } from '../form.ts'
import { baseName } from './file-names.ts'
import { bytesFile } from './item-files.ts'
import type { Item, ItemOutput, TranscriptSettings } from './operation.ts'
import { type AnyTranscription, speakerNumber, TRANSCRIPT_TYPES, transcriptText, withNames } from './transcript-text.ts'

/** Name of the files of a recording without a name. */
const UNNAMED = 'transcript'

/**
 * Reads the form.
 * @param fileId The stored file that is transcribed, if it is one.
 * @throws FormError for a speaker that is none, and for a field that would hold two files
 */
export async function transcriptSettings(item: Item, fileId: string | undefined): Promise<TranscriptSettings> {
  const { form } = item
  const files = item.isToolCall ? {} : filesOf(item)
  const speakers = form.boolean('options.subtitleSpeakers')
  const lineLength = form.whole('options.lineLength', 4)
  const deletes = fileId !== undefined && form.boolean('options.deleteFile') === true
  const format = form.choice('responseFormat')
  const isNamed = Object.keys(files).length > 0 || format === 'markdown'
  return {
    format,
    names: speakerNames(item),
    files,
    fileName: form.optionalText('options.fileName') ?? (isNamed ? await recordingName(item) : UNNAMED),
    ...(speakers === undefined ? {} : { speakers }),
    ...(lineLength === undefined ? {} : { lineLength }),
    ...(deletes ? { deleteFile: fileId } : {}),
  }
}

/** The forms of the transcript that the form asks for, the main one first. */
export function formatsOf({ form, isToolCall }: Item): string[] {
  return [form.choice('responseFormat'), ...(isToolCall ? [] : form.choices('files'))]
}

/** The binary field of each file that the form asks for. */
function filesOf(item: Item): Record<string, string> {
  const { form } = item
  const format = form.choice('responseFormat')
  const isFile = format in TRANSCRIPT_TYPES && format !== 'json' && format !== 'text'
  const files: Record<string, string> = isFile ? { [format]: form.required('outputPropertyName') } : {}
  for (const extra of form.choices('files')) {
    if (extra in files) continue
    if (Object.values(files).includes(extra)) {
      const fault = `"${extra}" is the field of another file`
      throw form.error('outputPropertyName', fault, 'Enter another name, or remove the file from More Files.')
    }
    files[extra] = extra
  }
  return files
}

/** Names by number of the speaker. */
function speakerNames({ form }: Item): Record<string, string> {
  const names: Record<string, string> = {}
  for (const row of rowsOf(form.read('options.speakerNames'), 'name')) {
    const [label, name] = [rowText(row, 'label').trim(), rowText(row, 'name').trim()]
    if (label === '' && name === '') continue
    const number = speakerNumber(label)
    if (number === undefined) {
      const fault = `must be a speaker of the transcript, such as Speaker 1, got "${label}"`
      throw form.error('options.speakerNames', fault, 'Write Speaker 1, S01 or 1 for the first one to speak.')
    }
    if (name !== '') names[number] = name
  }
  return names
}

/** The name of the recording, without its ending. Several of the same name are numbered. */
async function recordingName(item: Item): Promise<string> {
  const { context, form, index, run } = item
  const source = form.choice('source')
  if (source === 'fileId') return storedName(item)
  return run.distinctName(source, index, ({ binary = {} }, at) => {
    if (source === 'url') return baseName(pathOf(context.getNodeParameter('url', at, ''))) || UNNAMED
    const field = toText(context.getNodeParameter('binaryPropertyName', at, '')) ?? ''
    const [only] = Object.values(binary)
    return baseName((binary[field] ?? only)?.fileName ?? '') || UNNAMED
  })
}

/** The name of a stored file. */
async function storedName(item: Item): Promise<string> {
  try {
    const audio = await item.audio()
    const { filename } = await audio.files.retrieve(item.form.required('fileId'), item.call)
    return item.run.unusedName(item.index, baseName(filename) || UNNAMED)
  } catch {
    // The request for the transcript says what is wrong with the file.
    item.signal.throwIfAborted()
    return item.run.unusedName(item.index, UNNAMED)
  }
}

function pathOf(url: unknown): string {
  try {
    return decodeURIComponent(new URL(String(url)).pathname)
  } catch {
    return ''
  }
}

/**
 * A transcription in the forms of the settings. If the form says so, the stored file is deleted when all items are done.
 * A transcript is not lost to a file that cannot be deleted: `fileDeleted` tells.
 */
export async function transcriptOutput(
  item: Item,
  result: AnyTranscription,
  settings: TranscriptSettings,
): Promise<ItemOutput> {
  const output = await render(item, withNames(result, settings.names), settings)
  const id = settings.deleteFile
  if (id === undefined) return output
  const json: IDataObject = { ...output.json }
  item.run.afterwards(async () => {
    json['fileDeleted'] = await isDeleted(item, id)
  })
  return { ...output, json }
}

async function render(item: Item, result: AnyTranscription, settings: TranscriptSettings): Promise<ItemOutput> {
  const { format, files, fileName } = settings
  const json: IDataObject = {}
  if (format === 'json') Object.assign(json, result)
  else json['text'] = transcriptText(result, format, settings)
  const binary: IBinaryKeyData = {}
  const more: IDataObject = {}
  for (const [form, field] of Object.entries(files)) {
    const bytes = Buffer.from(transcriptText(result, form, settings))
    const options = { format: form, type: TRANSCRIPT_TYPES[form] ?? '', target: { field, fileName } }
    const file = await bytesFile(item, bytes, options)
    Object.assign(binary, file.binary)
    if (form === format) Object.assign(json, file.json)
    else more[form] = file.json
  }
  if (Object.keys(more).length > 0) json['files'] = more
  return { json, ...(Object.keys(binary).length === 0 ? {} : { binary }) }
}

/** Deletes a stored file. @returns whether that succeeded */
async function isDeleted(item: Item, id: string): Promise<boolean> {
  try {
    const audio = await item.audio()
    await audio.files.delete(id, item.call)
    return true
  } catch {
    item.signal.throwIfAborted()
    return false
  }
}
