import type { INodeProperties } from 'n8n-workflow'
import { longTimeout, runAsTaskOption, runsAsTask } from '../../long-work/long-task.ts'
import { binarySize } from '../binary-input.ts'
import { binaryOutField, fileNameOption, optionsField } from '../fields.ts'
import type { Item } from '../item.ts'
import type { Operation } from '../operation.ts'
import { PLAIN_MODEL, recognitionOptions, speakerNamesOption, subtitleOptions, transcriptionFields } from './fields.ts'
import { transcriptOutput, transcriptSettings } from './transcript-output.ts'
import { recognitionBody, type RecognitionBody, REMEDY } from './transcription-body.ts'

const show = { resource: ['transcription'], operation: ['create'] }

/** Larger recordings are transcribed by a task: about ten minutes of WAV, or twenty of MP3. */
const LONG_RECORDING = 20 * 1024 * 1024

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
    optionsField(show, [
      ...recognitionOptions,
      speakerNamesOption,
      ...subtitleOptions,
      fileNameOption,
      runAsTaskOption,
    ]),
  ],

  async startLong(item) {
    const isLong = await runsAsTask(item, () => isLongRecording(item))
    if (!isLong) return undefined
    const body = await checkedBody(item)
    const plan = { kind: 'transcript', settings: transcriptSettings(item, body.file_id) } as const
    const audio = await item.audio()
    const { id } = await audio.transcriptions.createTask(body, item.billableCall)
    return { taskId: id, plan, timeout: longTimeout(item) }
  },

  async run(item) {
    const body = await checkedBody(item)
    const settings = transcriptSettings(item, body.file_id)
    const audio = await item.audio()
    if (settings.format === 'text') {
      const text = await audio.transcriptions.create({ ...body, response_format: 'text' }, item.billableCall)
      return [await transcriptOutput(item, { text }, settings)]
    }
    const result = await audio.transcriptions.create({ ...body, response_format: 'json' }, item.billableCall)
    return [await transcriptOutput(item, result, settings)]
  },
}

/** @throws FormError for a format that the model cannot make */
async function checkedBody(item: Item): Promise<RecognitionBody> {
  const format = item.form.choice('responseFormat')
  const body = await recognitionBody(item)
  if (format !== 'json' && format !== 'text' && body.model === PLAIN_MODEL) {
    throw item.form.error('responseFormat', `needs a model that tells speakers apart, got ${PLAIN_MODEL}`, REMEDY)
  }
  return body
}

/** The size behind a URL is not known, so that it counts as short. So does a file that the request will not find. */
async function isLongRecording(item: Item): Promise<boolean> {
  const { form } = item
  const source = form.choice('source')
  if (source === 'url') return false
  if (source === 'binary') return ((await binarySize(item)) ?? 0) > LONG_RECORDING
  const fileId = form.required('fileId')
  const audio = await item.audio()
  try {
    const { bytes } = await audio.files.retrieve(fileId, item.call)
    return bytes > LONG_RECORDING
  } catch {
    item.signal.throwIfAborted()
    return false
  }
}
