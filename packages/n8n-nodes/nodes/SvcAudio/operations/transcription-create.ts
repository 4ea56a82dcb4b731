import type { IDataObject, INodeProperties } from 'n8n-workflow'
import { createAudioClient } from '../client/audio-client.ts'
import { audioSource } from './audio-source.ts'
import type { Operation } from './operation.ts'
import { callOptions, optionsParameter, textParameter, timeoutOption } from './parameters.ts'

const show = { resource: ['transcription'], operation: ['create'] }

const fields: INodeProperties[] = [
  {
    displayName: 'Audio Source',
    name: 'source',
    type: 'options',
    default: 'binary',
    description: 'Where the audio comes from',
    displayOptions: { show },
    options: [
      { name: 'Binary File', value: 'binary', description: 'A file that the item holds' },
      { name: 'File ID', value: 'fileId', description: 'A file that was uploaded to the service before' },
      { name: 'URL', value: 'url', description: 'A public address that the service reads' },
    ],
  },
  {
    displayName: 'Input Data Field Name',
    name: 'binaryPropertyName',
    type: 'string',
    required: true,
    default: 'data',
    hint: 'The name of the input binary field that holds the audio',
    displayOptions: { show: { ...show, source: ['binary'] } },
  },
  {
    displayName: 'File ID',
    name: 'fileId',
    type: 'string',
    required: true,
    default: '',
    description: 'ID that the service gave the file',
    displayOptions: { show: { ...show, source: ['fileId'] } },
  },
  {
    displayName: 'URL',
    name: 'url',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. https://example.com/interview.wav',
    description: 'Public http or https address of the audio',
    displayOptions: { show: { ...show, source: ['url'] } },
  },
  {
    displayName: 'Model',
    name: 'model',
    type: 'resourceLocator',
    required: true,
    default: { mode: 'list', value: 'svc-transcribe-1.0', cachedResultName: 'svc-transcribe-1.0' },
    description: 'The model that listens. The one with diarize in its name tells speakers apart.',
    displayOptions: { show },
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        placeholder: 'Select a model...',
        typeOptions: { searchListMethod: 'searchTranscriptionModels', searchable: true },
      },
      { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. svc-transcribe-1.0' },
    ],
  },
  {
    displayName: 'Response Format',
    name: 'responseFormat',
    type: 'options',
    default: 'json',
    description: 'What the service answers with. The output is JSON either way.',
    displayOptions: { show },
    options: [
      { name: 'JSON', value: 'json', description: 'The text and whatever the model tells beside it' },
      { name: 'Text', value: 'text', description: 'The text alone' },
    ],
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    displayOptions: { show },
    options: [
      {
        displayName: 'Diarize',
        name: 'diarize',
        type: 'boolean',
        default: true,
        description: 'Whether to tell speakers apart. Without this option, the service decides by the model.',
      },
      {
        displayName: 'Key Terms',
        name: 'keyterms',
        type: 'string',
        typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Term' },
        default: [],
        description: 'Names and terms to listen for; only for models that tell speakers apart',
      },
      {
        displayName: 'Timeout (Ms)',
        name: 'timeout',
        type: 'number',
        typeOptions: { minValue: 0 },
        default: 600000,
        description: 'Milliseconds that upload and recognition may take for one item; 0 for no limit',
      },
    ],
  },
]

/** Speech to text, from a binary field, a stored file or a public address. */
export const transcriptionCreate: Operation = {
  fields,

  async run(context, itemIndex) {
    const options = optionsParameter(context, itemIndex)
    const client = await createAudioClient(context, timeoutOption(options))
    const body = {
      model: textParameter(context, 'model', itemIndex),
      ...recognition(options),
      ...(await audioSource(context, itemIndex)),
    }
    if (textParameter(context, 'responseFormat', itemIndex) === 'text') {
      return {
        json: { text: await client.transcriptions.create({ ...body, response_format: 'text' }, callOptions(context)) },
      }
    }
    const result = await client.transcriptions.create({ ...body, response_format: 'json' }, callOptions(context))
    return { json: { ...result } }
  },
}

/** Only what was set: the rest is the service's choice. */
function recognition({ diarize, keyterms }: IDataObject): { diarize?: boolean; keyterms?: string[] } {
  const terms = Array.isArray(keyterms) ? keyterms.map(String).filter((term) => term.trim() !== '') : []
  return {
    ...(typeof diarize === 'boolean' ? { diarize } : {}),
    ...(terms.length === 0 ? {} : { keyterms: terms }),
  }
}
