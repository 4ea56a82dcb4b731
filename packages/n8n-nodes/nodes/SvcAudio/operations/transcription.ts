import type { TranscriptionSource } from '@svc-audio/core/pure'
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow'
import { rowsOf } from '../form.ts'
import { longTimeout, runAsTaskOption, runsAsTask } from '../long-task.ts'
import { binaryInField, binaryOutField, fileField, fileNameOption, modelField, optionsField } from './fields.ts'
import { binaryInput, binarySize } from './item-files.ts'
import type { Item, Operation } from './operation.ts'
import { startTaskOperation } from './start-task.ts'
import { formatsOf, transcriptOutput, transcriptSettings } from './transcript-output.ts'
import { OF_SPEAKERS } from './transcript-text.ts'

/** Larger recordings are transcribed by a task: about ten minutes of WAV, or twenty of MP3. */
const LONG_RECORDING = 20 * 1024 * 1024
/** The model that does not tell speakers apart. */
export const PLAIN_MODEL = 'svc-transcribe-1.0'
/** For what the plain model does not know. */
const REMEDY = 'Choose the model svc-transcribe-diarize-pro, or remove the option.'

const BINARY: INodePropertyOptions = {
  name: 'Binary File',
  value: 'binary',
  description: 'A file that the item holds',
}
const FILE: INodePropertyOptions = {
  name: 'File',
  value: 'fileId',
  description: 'A file that was uploaded to the service before',
}
const ADDRESS: INodePropertyOptions = {
  name: 'URL',
  value: 'url',
  description: 'An address that the service reads',
}

/** Where the recording comes from, and what listens. An agent has no binary fields, so its tool starts with the URL. */
const transcriptionFields: readonly INodeProperties[] = [
  {
    displayName: 'Audio Source',
    name: 'source',
    type: 'options',
    description: 'Where the audio comes from',
    default: 'binary',
    displayOptions: { hide: { '@tool': [true] } },
    options: [BINARY, FILE, ADDRESS],
  },
  {
    displayName: 'Audio Source',
    name: 'source',
    type: 'options',
    description: 'Where the audio comes from',
    default: 'url',
    displayOptions: { show: { '@tool': [true] } },
    options: [FILE, ADDRESS],
  },
  { ...binaryInField, displayOptions: { show: { source: ['binary'] } } },
  { ...fileField, displayOptions: { show: { source: ['fileId'] } } },
  {
    displayName: 'URL',
    name: 'url',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. https://example.com/interview.wav',
    description:
      'Address of the audio. The service reads it, so it must be reachable from there. A service of your own refuses private addresses unless SVC_AUDIO_URL_ALLOW names them.',
    displayOptions: { show: { source: ['url'] } },
  },
  modelField(
    'searchTranscriptionModels',
    PLAIN_MODEL,
    'The model that listens. Choose svc-transcribe-diarize-pro to tell speakers apart, for subtitles, and for key terms.',
  ),
]

/**
 * What helps recognition. The form shows all options with every model, since n8n drops a hidden value without a word: the
 * check of the request refuses what the model does not know.
 */
const recognitionOptions: readonly INodeProperties[] = [
  {
    displayName: 'Delete File Afterwards',
    name: 'deleteFile',
    type: 'boolean',
    default: true,
    description: 'Whether to delete the file from the service when all items are transcribed',
    displayOptions: { show: { '/source': ['fileId'], '/operation': ['create'] } },
  },
  {
    displayName: 'Tell Speakers Apart',
    name: 'diarize',
    type: 'boolean',
    default: true,
    description:
      'Whether to say who speaks when. Without this option, the model decides. Needs svc-transcribe-diarize-pro.',
  },
  {
    displayName: 'Key Terms',
    name: 'keyterms',
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Term' },
    default: [],
    description: 'Names and terms to listen for. Needs svc-transcribe-diarize-pro.',
  },
]

/** Names in place of the labels of speakers. */
const speakerNamesOption: INodeProperties = {
  displayName: 'Speaker Names',
  name: 'speakerNames',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true },
  default: {},
  placeholder: 'Add Name',
  description: 'Names in place of Speaker 1, Speaker 2 and so on. Needs svc-transcribe-diarize-pro.',
  options: [
    {
      displayName: 'Name',
      name: 'name',
      values: [
        {
          displayName: 'Speaker',
          name: 'label',
          type: 'string',
          default: '',
          placeholder: 'e.g. Speaker 1',
          description: 'As in the transcript',
        },
        { displayName: 'Name', name: 'name', type: 'string', default: '', placeholder: 'e.g. Ann' },
      ],
    },
  ],
}

/** How subtitles look. */
const subtitleOptions: readonly INodeProperties[] = [
  {
    displayName: 'Line Length',
    name: 'lineLength',
    type: 'number',
    typeOptions: { minValue: 4 },
    default: 42,
    description:
      'Longest line of the subtitles, in characters. A character of Chinese, Japanese or Korean counts twice.',
  },
  {
    displayName: 'Speakers in Subtitles',
    name: 'subtitleSpeakers',
    type: 'boolean',
    default: false,
    description: 'Whether the subtitles name the speakers. Without this option they do.',
  },
]

const outputs: INodeProperties[] = [
  {
    displayName: 'Output Format',
    name: 'responseFormat',
    type: 'options',
    default: 'json',
    description: 'What you get: text, notes with speakers, or subtitles',
    options: [
      { name: 'JSON', value: 'json', description: 'The text and everything that the model tells beside it' },
      {
        name: 'Markdown Minutes',
        value: 'markdown',
        description: 'Who said what, and when: a file and text',
        displayOptions: { hide: { '/model': [PLAIN_MODEL] } },
      },
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
  binaryOutField({ responseFormat: ['markdown', 'srt', 'vtt'] }, 'outputPropertyName'),
  {
    displayName: 'More Files',
    name: 'files',
    type: 'multiOptions',
    default: [],
    description:
      'The same transcript as files, without a second bill. Each is in the binary field of its name: <code>markdown</code>, <code>srt</code>, <code>text</code> and so on.',
    displayOptions: { hide: { '@tool': [true] } },
    options: [
      { name: 'JSON', value: 'json' },
      { name: 'Markdown Minutes', value: 'markdown', displayOptions: { hide: { '/model': [PLAIN_MODEL] } } },
      { name: 'SRT Subtitles', value: 'srt', displayOptions: { hide: { '/model': [PLAIN_MODEL] } } },
      { name: 'Text', value: 'text' },
      { name: 'VTT Subtitles', value: 'vtt', displayOptions: { hide: { '/model': [PLAIN_MODEL] } } },
    ],
  },
]

/** Speech to text, from a binary field, a stored file or an address. */
export const transcriptionCreate: Operation = {
  resource: 'transcription',
  operation: 'create',
  name: 'Transcribe a Recording',
  action: 'Transcribe a recording',
  description: 'Turn speech into text, notes with speakers, or subtitles',
  fields: [
    ...transcriptionFields,
    ...outputs,
    optionsField([...recognitionOptions, speakerNamesOption, ...subtitleOptions, fileNameOption, runAsTaskOption]),
  ],

  async startLong(item) {
    const isLong = await runsAsTask(item, () => isLongRecording(item))
    if (!isLong) return undefined
    const body = await checkedBody(item)
    const plan = { kind: 'transcript', settings: await transcriptSettings(item, body.file_id) } as const
    const audio = await item.audio()
    const { id } = await audio.transcriptions.createTask(body, await item.billableCall())
    return { taskId: id, plan, timeout: longTimeout(item) }
  },

  async run(item) {
    const body = await checkedBody(item)
    const settings = await transcriptSettings(item, body.file_id)
    const audio = await item.audio()
    const call = await item.billableCall()
    if (formatsOf(item).every((format) => format === 'text')) {
      const text = await audio.transcriptions.create({ ...body, response_format: 'text' }, call)
      return [await transcriptOutput(item, { text }, settings)]
    }
    const result = await audio.transcriptions.create({ ...body, response_format: 'json' }, call)
    return [await transcriptOutput(item, result, settings)]
  },
}

/** Speech to text by a task, for long recordings. */
export const transcriptionStartTask: Operation = startTaskOperation({
  resource: 'transcription',
  action: 'Start transcription task',
  description: 'Transcribe a long recording in the background, and output the ID of the task',
  fields: transcriptionFields,
  options: recognitionOptions,
  body: recognitionBody,
  create: (audio, body, call) => audio.transcriptions.createTask(body, call),
})

/** @throws FormError for a format that the model cannot make */
async function checkedBody(item: Item): Promise<RecognitionBody> {
  const [format = '', ...files] = formatsOf(item)
  const body = await recognitionBody(item)
  const path = OF_SPEAKERS.has(format) ? 'responseFormat' : 'files'
  if (body.model === PLAIN_MODEL && [format, ...files].some((one) => OF_SPEAKERS.has(one))) {
    throw item.form.error(path, `needs a model that tells speakers apart, got ${PLAIN_MODEL}`, REMEDY)
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

/** What every request for a transcription holds. */
type RecognitionBody = TranscriptionSource & { model: string; diarize?: boolean; keyterms?: string[] }

/** The request that the form describes. Only what was set is sent: the rest is the service's choice. */
async function recognitionBody(item: Item): Promise<RecognitionBody> {
  const { form } = item
  const model = form.required('model')
  const diarize = form.boolean('options.diarize')
  const keyterms = form.list('options.keyterms')
  const refused = ['options.diarize', 'options.keyterms', 'options.speakerNames'].find((path) =>
    needsSpeakers(item, path),
  )
  if (model === PLAIN_MODEL && refused !== undefined) {
    throw form.error(refused, `does not work with the model ${PLAIN_MODEL}`, REMEDY)
  }
  return {
    model,
    ...(diarize === undefined ? {} : { diarize }),
    ...(keyterms.length === 0 ? {} : { keyterms }),
    ...(await sourceOf(item)),
  }
}

/** Whether an option is set that only a model that tells speakers apart knows. */
function needsSpeakers({ form }: Item, path: string): boolean {
  if (path === 'options.diarize') return form.boolean(path) === true
  return path === 'options.keyterms' ? form.list(path).length > 0 : rowsOf(form.read(path), 'name').length > 0
}

/** The recording, as the one field of the request that carries it. */
async function sourceOf(item: Item): Promise<TranscriptionSource> {
  const { form } = item
  switch (form.choice('source')) {
    case 'url':
      return { url: form.required('url') }
    case 'fileId':
      return { file_id: form.required('fileId') }
    default:
      return { file: await binaryInput(item) }
  }
}
