import { WavMeter } from '@svc-audio/core/streaming'
import type { INodeProperties } from 'n8n-workflow'
import { createAudioClient } from '../client/audio-client.ts'
import type { Operation } from './operation.ts'
import { callOptions, isToolCall, optionsParameter, textOption, textParameter, timeoutOption } from './parameters.ts'

const show = { resource: ['speech'], operation: ['create'] }

const fields: INodeProperties[] = [
  {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    typeOptions: { rows: 4 },
    required: true,
    default: '',
    placeholder: 'e.g. The train leaves at seven.',
    description: 'What is spoken. With the model svc-tts-1.5-flash, [pause 1.5s] is a silence of 0.1 to 10 seconds.',
    displayOptions: { show },
  },
  {
    displayName: 'Voice',
    name: 'voice',
    type: 'resourceLocator',
    required: true,
    default: { mode: 'list', value: '' },
    description: 'The voice that speaks',
    displayOptions: { show },
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        placeholder: 'Select a voice...',
        typeOptions: { searchListMethod: 'searchVoices', searchable: true },
      },
      { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. rms' },
    ],
  },
  {
    displayName: 'Model',
    name: 'model',
    type: 'resourceLocator',
    required: true,
    default: { mode: 'list', value: 'svc-tts-1.5-flash', cachedResultName: 'svc-tts-1.5-flash' },
    description: 'The model that speaks',
    displayOptions: { show },
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        placeholder: 'Select a model...',
        typeOptions: { searchListMethod: 'searchSpeechModels', searchable: true },
      },
      { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. svc-tts-1.5-flash' },
    ],
  },
  {
    displayName: 'Response Format',
    name: 'responseFormat',
    type: 'options',
    default: 'wav',
    description:
      'Format of the audio. Every transcription service takes WAV; MP3 is the smallest that plays everywhere.',
    displayOptions: { show },
    options: [
      { name: 'AAC', value: 'aac' },
      { name: 'FLAC', value: 'flac' },
      { name: 'MP3', value: 'mp3' },
      { name: 'Opus', value: 'opus' },
      { name: 'PCM', value: 'pcm' },
      { name: 'WAV', value: 'wav' },
    ],
  },
  {
    displayName: 'Put Output File in Field',
    name: 'binaryPropertyName',
    type: 'string',
    required: true,
    default: 'data',
    hint: 'The name of the output binary field to put the file in',
    displayOptions: { show },
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
        displayName: 'File Name',
        name: 'fileName',
        type: 'string',
        default: '',
        placeholder: 'e.g. announcement.wav',
        description: 'Name of the file. Without it, the name is speech and the ending follows the format.',
      },
      {
        displayName: 'Timeout (Ms)',
        name: 'timeout',
        type: 'number',
        typeOptions: { minValue: 0 },
        default: 600000,
        description: 'Milliseconds that speaking may take for one item; 0 for no limit',
      },
    ],
  },
]

/** Text to speech: the audio as a binary field, or, called by an AI agent, the address of the audio. */
export const speechCreate: Operation = {
  fields,

  async run(context, itemIndex) {
    const options = optionsParameter(context, itemIndex)
    const client = await createAudioClient(context, timeoutOption(options))
    const body = {
      model: textParameter(context, 'model', itemIndex),
      input: textParameter(context, 'text', itemIndex),
      voice_id: textParameter(context, 'voice', itemIndex),
      response_format: textParameter(context, 'responseFormat', itemIndex),
    }
    // n8n drops binary fields from what a tool answers, so that an agent would be left with nothing.
    if (isToolCall(context)) return { json: { ...(await client.speech.createUrl(body, callOptions(context))) } }

    const speech = await client.speech.create(body, callOptions(context))
    const fileName = textOption(options, 'fileName') ?? `speech.${body.response_format}`
    // Whole: n8n stores Node's streams only, and a community node may not import what makes one.
    const bytes = await speech.bytes()
    const file = await context.helpers.prepareBinaryData(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      fileName,
      speech.contentType,
    )
    const json = { fileName, contentType: speech.contentType, bytes: bytes.byteLength, ...duration(bytes) }
    return { json, binary: { [textParameter(context, 'binaryPropertyName', itemIndex)]: file } }
  },
}

/** The length of a WAV file; nothing for other formats, which do not tell without being decoded. */
function duration(bytes: Uint8Array): { durationSeconds?: number } {
  const meter = new WavMeter()
  meter.add(bytes)
  return meter.durationSeconds === undefined ? {} : { durationSeconds: meter.durationSeconds }
}
