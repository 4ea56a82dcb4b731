import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow'
import { binaryInField, fileField, modelField, type Show } from '../fields.ts'

/** The model that does not tell speakers apart. */
export const PLAIN_MODEL = 'svc-transcribe-1.0'

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
export function transcriptionFields(show: Show): INodeProperties[] {
  return [
    {
      displayName: 'Audio Source',
      name: 'source',
      type: 'options',
      description: 'Where the audio comes from',
      default: 'binary',
      displayOptions: { show, hide: { '@tool': [true] } },
      options: [BINARY, FILE, ADDRESS],
    },
    {
      displayName: 'Audio Source',
      name: 'source',
      type: 'options',
      description: 'Where the audio comes from',
      default: 'url',
      displayOptions: { show: { ...show, '@tool': [true] } },
      options: [FILE, ADDRESS],
    },
    binaryInField({ ...show, source: ['binary'] }),
    fileField({ ...show, source: ['fileId'] }),
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'e.g. https://example.com/interview.wav',
      description:
        'Address of the audio. The service reads it, so it must be reachable from there. A service of your own refuses private addresses unless SVC_AUDIO_URL_ALLOW names them.',
      displayOptions: { show: { ...show, source: ['url'] } },
    },
    modelField(
      show,
      'searchTranscriptionModels',
      PLAIN_MODEL,
      'The model that listens. Choose svc-transcribe-diarize-pro to tell speakers apart, for subtitles, and for key terms.',
    ),
  ]
}

/**
 * What helps recognition. The form shows all options with every model, since n8n drops a hidden value without a word: the
 * check of the request refuses what the model does not know.
 */
export const recognitionOptions: readonly INodeProperties[] = [
  {
    displayName: 'Delete File Afterwards',
    name: 'deleteFile',
    type: 'boolean',
    default: true,
    description: 'Whether to delete the file from the service once it has been transcribed',
    displayOptions: { show: { '/source': ['fileId'], '/operation': ['create'] } },
  },
  {
    displayName: 'Diarize',
    name: 'diarize',
    type: 'boolean',
    default: true,
    description:
      'Whether to tell speakers apart. Without this option, the service decides by the model. Needs svc-transcribe-diarize-pro.',
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
export const speakerNamesOption: INodeProperties = {
  displayName: 'Speaker Names',
  name: 'speakerNames',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true },
  default: {},
  placeholder: 'Add Name',
  description: 'Names in place of the labels that the service gives to speakers. Needs svc-transcribe-diarize-pro.',
  options: [
    {
      displayName: 'Name',
      name: 'name',
      values: [
        { displayName: 'Label', name: 'label', type: 'string', default: '', placeholder: 'e.g. S01' },
        { displayName: 'Name', name: 'name', type: 'string', default: '', placeholder: 'e.g. Ann' },
      ],
    },
  ],
}

/** How subtitles look. */
export const subtitleOptions: readonly INodeProperties[] = [
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
