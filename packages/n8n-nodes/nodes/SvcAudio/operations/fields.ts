import type { IDisplayOptions, INodeProperties } from 'n8n-workflow'

/** A field with a list of the service behind it, from which an id can be chosen, or typed in. */
interface LocatorOptions {
  readonly displayName: string
  readonly name: string
  readonly description: string
  /** Method of the node that lists what can be chosen. */
  readonly search: string
  readonly example: string
  readonly default?: string
  /** Example of a name, if a name chooses too. @default an id alone chooses */
  readonly nameExample?: string
}

function locator(options: LocatorOptions): INodeProperties {
  const { displayName, name, description, search, example, default: value = '', nameExample } = options
  return {
    displayName,
    name,
    type: 'resourceLocator',
    required: true,
    // With __rl it equals what the editor stores, so that another operation begins with its own default.
    default: { __rl: true, mode: 'list', value, ...(value === '' ? {} : { cachedResultName: value }) },
    description,
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list' as const,
        placeholder: `Select a ${displayName.toLowerCase()}...`,
        typeOptions: { searchListMethod: search, searchable: true },
      },
      { displayName: 'By ID', name: 'id', type: 'string' as const, placeholder: `e.g. ${example}` },
      { displayName: 'By Name', name: 'name', type: 'string' as const, placeholder: `e.g. ${nameExample}` },
    ].filter((mode) => mode.name !== 'name' || nameExample !== undefined),
  }
}

/** The voice that speaks. @param name Name of the field, or of the column of a row. */
export function voiceField(name: 'voice' | 'voiceId'): INodeProperties {
  return locator({
    displayName: 'Voice',
    name,
    description: 'The voice that speaks. To hear voices, use the operation Speak Sample of Voice.',
    search: 'searchVoices',
    example: 'rms',
    nameExample: 'Ann',
  })
}

/** The model of an operation. */
export function modelField(search: string, model: string, description: string): INodeProperties {
  return locator({ displayName: 'Model', name: 'model', description, search, example: model, default: model })
}

/** A stored file. */
export const fileField: INodeProperties = locator({
  displayName: 'File',
  name: 'fileId',
  description: 'A file that the service stores',
  search: 'searchFiles',
  example: 'file-1',
})

/** Format of audio that the service makes. */
export const formatField: INodeProperties = {
  displayName: 'Response Format',
  name: 'responseFormat',
  type: 'options',
  default: 'wav',
  description:
    'Format of the audio. MP3 plays everywhere. Ogg Opus is the format of voice notes. Every transcription service takes WAV. In Speech, the option Speed needs WAV or PCM.',
  options: [
    { name: 'AAC', value: 'aac' },
    { name: 'FLAC', value: 'flac' },
    { name: 'MP3', value: 'mp3' },
    { name: 'Ogg Opus', value: 'opus' },
    { name: 'PCM', value: 'pcm' },
    { name: 'WAV', value: 'wav' },
  ],
}

/**
 * Name of the binary field that a file is put into.
 * @param show When a file is output.
 * @param name Name of the parameter. A form that reads a file too has two.
 */
export function binaryOutField(show: IDisplayOptions['show'], name = 'binaryPropertyName'): INodeProperties {
  return {
    displayName: 'Put Output File in Field',
    name,
    type: 'string',
    required: true,
    default: 'data',
    hint: 'The name of the output binary field to put the file in',
    displayOptions: { ...(show === undefined ? {} : { show }), hide: { '@tool': [true] } },
  }
}

/** Where audio goes to: a binary field, or its URL. An agent gets the URL, since n8n drops binary fields of tools. */
export const outputFields: readonly INodeProperties[] = [
  {
    displayName: 'Output',
    name: 'output',
    type: 'options',
    default: 'file',
    description: 'A file for the next node, or a link that expires',
    displayOptions: { hide: { '@tool': [true] } },
    options: [
      { name: 'File', value: 'file', description: 'A file for the next node' },
      { name: 'URL', value: 'url', description: 'A link that expires' },
    ],
  },
  binaryOutField({ output: ['file'] }),
]

/** Name of the binary field that a file is read from. */
export const binaryInField: INodeProperties = {
  displayName: 'Input Data Field Name',
  name: 'binaryPropertyName',
  type: 'string',
  required: true,
  default: 'data',
  hint: '<code>data</code> in most cases. See Binary in the input panel: a form uses the label of its field, a chat <code>data0</code>.',
}

/** The text to speak. */
export function textField(description: string): INodeProperties {
  return {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    typeOptions: { rows: 4 },
    required: true,
    default: '',
    placeholder: 'e.g. The train leaves at seven.',
    description,
  }
}

/** Options of every operation. */
const CALL_OPTIONS: readonly INodeProperties[] = [
  {
    displayName: 'Items at Once',
    name: 'itemsAtOnce',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 64 },
    default: 1,
    description: 'How many items are handled at the same time. The value for the first item counts for all.',
  },
  {
    displayName: 'Retries',
    name: 'retries',
    type: 'number',
    typeOptions: { minValue: 0 },
    default: 2,
    description:
      'How often a failed request is sent again, for this item alone. Retry On Fail in the settings of the node repeats every item: a self-hosted service counts each once, another may bill it again.',
  },
  {
    displayName: 'Timeout (Seconds)',
    name: 'timeout',
    type: 'number',
    typeOptions: { minValue: 0 },
    default: 600,
    description: 'Deadline for the whole work on one item, retries included. 0 sets no limit.',
  },
]

const RETRY_AMBIGUOUS: INodeProperties = {
  displayName: 'Retry Even If the Work May Be Done Already',
  name: 'retryAmbiguous',
  type: 'boolean',
  default: true,
  description:
    'Whether to retry after status 500 and after a lost response too. A service that repeats work may bill it twice.',
}

/** Name of the file that audio is output as. */
export const fileNameOption: INodeProperties = {
  displayName: 'File Name',
  name: 'fileName',
  type: 'string',
  default: '',
  placeholder: 'e.g. announcement',
  description:
    'Name of the output files. The ending follows the format. Without this option, a transcript is named after its recording, and speech after the field title of its item.',
}

/** The implicit AIGC marking. */
export const aigcOption: INodeProperties = {
  displayName: 'Mark as AI-Generated',
  name: 'aigc',
  type: 'fixedCollection',
  default: {},
  placeholder: 'Add Marking',
  description:
    'Writes into the metadata of the file that AI has made it. For those whom a law obliges to label AI content, as in China. The speech does not change.',
  options: [
    {
      displayName: 'Marking',
      name: 'marking',
      values: [
        {
          displayName: 'Content Propagator',
          name: 'contentPropagator',
          type: 'string',
          default: '',
          description: 'Name or code of the provider that propagates the content',
        },
        {
          displayName: 'Propagate ID',
          name: 'propagateId',
          type: 'string',
          default: '',
          description: 'ID of the content at that provider',
        },
      ],
    },
  ],
}

/** The collection Options, in the order of its names. */
export function optionsField(
  own: readonly INodeProperties[] = [],
  { billable = true }: { readonly billable?: boolean } = {},
): INodeProperties {
  const options = [...own, ...CALL_OPTIONS, ...(billable ? [RETRY_AMBIGUOUS] : [])]
  return {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    options: options.toSorted((a, b) => a.displayName.localeCompare(b.displayName)),
  }
}
