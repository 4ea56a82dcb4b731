import type { INodeProperties } from 'n8n-workflow'
import { formatField, modelField, rowVoiceField, type Show } from '../fields.ts'

/** Who speaks, and what. */
export function dialogueFields(show: Show): INodeProperties[] {
  return [
    speakersField(show),
    {
      displayName: 'Lines From',
      name: 'linesFrom',
      type: 'options',
      default: 'form',
      description: 'Where the lines of the dialogue come from',
      displayOptions: { show },
      options: [
        { name: 'Form', value: 'form', description: 'Lines that are written here' },
        { name: 'Items', value: 'items', description: 'One dialogue of all items, each of which is a line' },
        { name: 'JSON', value: 'json', description: 'An array of objects with speaker and text' },
      ],
    },
    linesField(show),
    {
      displayName: 'Lines',
      name: 'linesJson',
      type: 'json',
      default: '[\n  { "speaker": "Ann", "text": "Good morning." }\n]',
      description: 'An array of objects with speaker and text',
      displayOptions: { show: { ...show, linesFrom: ['json'] } },
    },
    {
      displayName: 'Speaker Field',
      name: 'speakerField',
      type: 'string',
      default: 'speaker',
      description: 'Field of each item that holds the name of the speaker',
      displayOptions: { show: { ...show, linesFrom: ['items'] } },
    },
    {
      displayName: 'Text Field',
      name: 'textField',
      type: 'string',
      default: 'text',
      description: 'Field of each item that holds what is said',
      displayOptions: { show: { ...show, linesFrom: ['items'] } },
    },
    modelField(show, 'searchDialogueModels', 'svc-ttsd-1.0', 'The model that speaks'),
    formatField(show),
  ]
}

function speakersField(show: Show): INodeProperties {
  return {
    displayName: 'Speakers',
    name: 'speakers',
    type: 'fixedCollection',
    typeOptions: { multipleValues: true, sortable: true },
    default: { speaker: [{ name: '', voiceId: { __rl: true, mode: 'list', value: '' } }] },
    placeholder: 'Add Speaker',
    description: 'Who speaks in the dialogue, and with which voice',
    displayOptions: { show },
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
          rowVoiceField(),
        ],
      },
    ],
  }
}

function linesField(show: Show): INodeProperties {
  return {
    displayName: 'Lines',
    name: 'lines',
    type: 'fixedCollection',
    typeOptions: { multipleValues: true, sortable: true },
    default: { line: [{ speaker: '', text: '' }] },
    placeholder: 'Add Line',
    description: 'What is said, in order',
    displayOptions: { show: { ...show, linesFrom: ['form'] } },
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
}
