import type { DialogueRequest, DialogueSegment, DialogueSpeaker } from '@svc-audio/core/pure'
import type { INodeProperties } from 'n8n-workflow'
import { parseArray, rowsOf, rowText } from '../form.ts'
import {
  aigcOption,
  fileNameOption,
  formatField,
  modelField,
  optionsField,
  outputFields,
  voiceField,
} from './fields.ts'
import { speak } from './item-files.ts'
import type { Item, Operation } from './operation.ts'
import { aigcMetadata } from './speech.ts'
import { startTaskOperation } from './start-task.ts'
import { voiceOfRow } from './voices.ts'

const speakersField: INodeProperties = {
  displayName: 'Speakers',
  name: 'speakers',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true, sortable: true },
  default: { speaker: [{ name: '', voiceId: { __rl: true, mode: 'list', value: '' } }] },
  placeholder: 'Add Speaker',
  description: 'Who speaks in the dialogue, and with which voice',
  options: [
    {
      displayName: 'Speaker',
      name: 'speaker',
      values: [
        {
          displayName: 'Name',
          name: 'name',
          type: 'string',
          required: true,
          default: '',
          placeholder: 'e.g. Ann',
          description: 'Name that the lines use. It is not spoken.',
        },
        voiceField('voiceId'),
      ],
    },
  ],
}

const linesField: INodeProperties = {
  displayName: 'Lines',
  name: 'lines',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true, sortable: true },
  default: { line: [{ speaker: '', text: '' }] },
  placeholder: 'Add Line',
  description: 'What is said, in order',
  displayOptions: { show: { linesFrom: ['form'] } },
  options: [
    {
      displayName: 'Line',
      name: 'line',
      values: [
        {
          displayName: 'Speaker',
          name: 'speaker',
          type: 'string',
          required: true,
          default: '',
          placeholder: 'e.g. Ann',
          description: 'Name of one of the speakers',
        },
        {
          displayName: 'Text',
          name: 'text',
          type: 'string',
          required: true,
          typeOptions: { rows: 2 },
          default: '',
          placeholder: 'e.g. Good morning.',
        },
      ],
    },
  ],
}

/** Who speaks, and what. */
const dialogueFields: readonly INodeProperties[] = [
  speakersField,
  {
    displayName: 'Lines From',
    name: 'linesFrom',
    type: 'options',
    default: 'form',
    description: 'Where the lines of the dialogue come from',
    options: [
      { name: 'Form', value: 'form', description: 'Lines that are written here' },
      { name: 'Items', value: 'items', description: 'One dialogue of all items, each of which is a line' },
      { name: 'JSON', value: 'json', description: 'An array of objects with speaker and text' },
    ],
  },
  linesField,
  {
    displayName: 'Lines',
    name: 'linesJson',
    type: 'json',
    default: '[\n  { "speaker": "Ann", "text": "Good morning." }\n]',
    description: 'An array of objects with speaker and text',
    displayOptions: { show: { linesFrom: ['json'] } },
  },
  {
    displayName: 'Speaker Field',
    name: 'speakerField',
    type: 'string',
    default: 'speaker',
    description: 'Field of each item that holds the name of the speaker',
    displayOptions: { show: { linesFrom: ['items'] } },
  },
  {
    displayName: 'Text Field',
    name: 'textField',
    type: 'string',
    default: 'text',
    description: 'Field of each item that holds what is said',
    displayOptions: { show: { linesFrom: ['items'] } },
  },
  modelField('searchDialogueModels', 'svc-ttsd-1.0', 'The model that speaks'),
  formatField,
]

/** Lines of several speakers as one piece of audio. */
export const dialogueCreate: Operation = {
  resource: 'dialogue',
  operation: 'create',
  name: 'Convert Lines to Dialogue',
  action: 'Convert lines to dialogue',
  description: 'Speak the lines of several speakers, and output the audio',
  fields: [...dialogueFields, ...outputFields, optionsField([fileNameOption, aigcOption])],
  takesAllItems: isOfAllItems,

  async run(item) {
    const body = await dialogueBody(item)
    const { dialogue } = await item.audio()
    return [await speak(item, dialogue, body)]
  },
}

/** A dialogue by a task, for long ones. */
export const dialogueStartTask: Operation = startTaskOperation({
  resource: 'dialogue',
  action: 'Start dialogue task',
  description: 'Speak a long dialogue in the background, and output the ID of the task',
  fields: dialogueFields,
  options: [aigcOption],
  takesAllItems: isOfAllItems,
  body: dialogueBody,
  create: (audio, body, call) => audio.dialogue.createTask(body, call),
})

/** The request that the form, or the items, describe. */
async function dialogueBody(item: Item): Promise<Omit<DialogueRequest, 'async' | 'delivery_method' | 'webhook_url'>> {
  const { form } = item
  return {
    model: form.required('model'),
    speakers: await speakers(item),
    segments: lines(item),
    response_format: form.required('responseFormat'),
    ...aigcMetadata(form.read('options.aigc')),
  }
}

/** Whether all items are the lines of one dialogue. */
function isOfAllItems({ form }: Item): boolean {
  return form.choice('linesFrom') === 'items'
}

function speakers(item: Item): Promise<DialogueSpeaker[]> {
  const rows = rowsOf(item.form.read('speakers'), 'speaker')
  return Promise.all(
    rows.map(async (row, index) => ({
      id: rowText(row, 'name'),
      voice_id: await voiceOfRow(item, row, `Speakers ${index + 1}: Voice`),
    })),
  )
}

function lines(item: Item): DialogueSegment[] {
  const { context, form } = item
  const from = form.choice('linesFrom')
  if (from === 'form') return rowsOf(form.read('lines'), 'line').map((row) => lineOf(row))
  if (from === 'json') return array(item, 'linesJson').map((row) => lineOf(row))
  const [speakerField, textField] = [form.required('speakerField'), form.required('textField')]
  return context.getInputData().map(({ json }) => lineOf(json, speakerField, textField))
}

function lineOf(row: unknown, speakerField = 'speaker', textField = 'text'): DialogueSegment {
  return { speaker: rowText(row, speakerField), text: rowText(row, textField) }
}

function array({ form }: Item, path: string): unknown[] {
  const value = form.read(path)
  const found = typeof value === 'string' ? parseArray(value) : value
  if (Array.isArray(found)) return found
  throw form.error(path, 'must be an array of objects with speaker and text', 'Check the JSON, or the expression.')
}
