import type { PureAudioClient } from '@svc-audio/core/pure'
import type { IDataObject, INodeProperties } from 'n8n-workflow'
import { rowsOf, rowText } from '../../form/rows.ts'
import { bytesFile } from '../audio-output.ts'
import { binaryOutField, fileNameOption, optionsField } from '../fields.ts'
import type { Item } from '../item.ts'
import type { ItemOutput, Operation } from '../operation.ts'
import { PLAIN_MODEL, recognitionOptions, speakerNamesOption, subtitleOptions, transcriptionFields } from './fields.ts'
import { speakerText, subtitles, withNames } from './transcript-text.ts'
import { recognitionBody, type RecognitionBody, REMEDY } from './transcription-body.ts'

const show = { resource: ['transcription'], operation: ['create'] }

/** Types of the subtitles that are made here. */
const SUBTITLE_TYPES = { srt: 'application/x-subrip', vtt: 'text/vtt' } as const

const outputs: INodeProperties[] = [
  {
    displayName: 'Response Format',
    name: 'responseFormat',
    type: 'options',
    default: 'json',
    description: 'What is put out',
    displayOptions: { show },
    options: [
      { name: 'JSON', value: 'json', description: 'The text and everything that the model tells beside it' },
      { name: 'Text', value: 'text', description: 'The text alone' },
      {
        name: 'Text With Speakers',
        value: 'speakers',
        description: 'A paragraph for each turn, with the name of its speaker',
        displayOptions: { hide: { '/model': [PLAIN_MODEL] } },
      },
      {
        name: 'SRT Subtitles',
        value: 'srt',
        description: 'Subtitles for most players',
        displayOptions: { hide: { '/model': [PLAIN_MODEL] } },
      },
      {
        name: 'VTT Subtitles',
        value: 'vtt',
        description: 'Subtitles for web players',
        displayOptions: { hide: { '/model': [PLAIN_MODEL] } },
      },
    ],
  },
  binaryOutField({ ...show, responseFormat: ['srt', 'vtt'] }),
]

/** Speech to text, from a binary field, a stored file or an address. */
export const transcriptionCreate: Operation = {
  resource: 'transcription',
  operation: 'create',
  name: 'Transcribe a Recording',
  action: 'Transcribe a recording',
  description: 'Turn speech into text, notes with speakers, or subtitles',
  fields: [
    ...transcriptionFields(show),
    ...outputs,
    optionsField(show, [...recognitionOptions, speakerNamesOption, ...subtitleOptions, fileNameOption]),
  ],

  async run(item) {
    const format = item.form.choice('responseFormat')
    const body = await recognitionBody(item)
    if (format !== 'json' && format !== 'text' && body.model === PLAIN_MODEL) {
      throw item.form.error('responseFormat', `needs a model that tells speakers apart, got ${PLAIN_MODEL}`, REMEDY)
    }
    const audio = await item.audio()
    const output = await transcribe(item, audio, body, format)
    const deletion = await deleteFile(item, audio, body)
    return [{ ...output, json: { ...output.json, ...deletion } }]
  },
}

async function transcribe(
  item: Item,
  audio: PureAudioClient,
  body: RecognitionBody,
  format: string,
): Promise<ItemOutput> {
  if (format === 'text') {
    const text = await audio.transcriptions.create({ ...body, response_format: 'text' }, item.billableCall)
    return { json: { text } }
  }
  const result = await audio.transcriptions.create({ ...body, response_format: 'json' }, item.billableCall)
  const named = withNames(result, speakerNames(item))
  if (format === 'speakers') return { json: { text: speakerText(named) } }
  if (format !== 'srt' && format !== 'vtt') return { json: { ...named } }
  const text = subtitles(format, named, {
    speakers: item.form.boolean('options.subtitleSpeakers'),
    maxCharactersPerLine: item.form.whole('options.lineLength', 4),
  })
  if (item.isToolCall) return { json: { text } }
  const file = await bytesFile(item, Buffer.from(text), format, SUBTITLE_TYPES[format])
  return { ...file, json: { text, ...file.json } }
}

/** Names by label. */
function speakerNames({ form }: Item): Record<string, string> {
  const rows = rowsOf(form.read('options.speakerNames'), 'name')
  return Object.fromEntries(rows.map((row) => [rowText(row, 'label').trim(), rowText(row, 'name')]))
}

/** A transcript is not lost to a file that cannot be deleted: `fileDeleted` tells. */
async function deleteFile(item: Item, audio: PureAudioClient, { file_id: id }: RecognitionBody): Promise<IDataObject> {
  if (id === undefined || item.form.boolean('options.deleteFile') !== true) return {}
  try {
    await audio.files.delete(id, item.call)
    return { fileDeleted: true }
  } catch {
    item.signal.throwIfAborted()
    return { fileDeleted: false }
  }
}
