import { VOICES_LIMIT_MAX } from '@svc-audio/core/interface'
import type { VoiceGenerationRequest } from '@svc-audio/core/pure'
import type { INodeProperties } from 'n8n-workflow'
import {
  binaryInField,
  fileNameOption,
  formatField,
  modelField,
  optionsField,
  outputFields,
  textField,
  voiceField,
} from './fields.ts'
import { binaryInput, isoDate, outputJson, speak } from './item-files.ts'
import { getMany } from './lists.ts'
import type { Item, Operation } from './operation.ts'
import { startTaskOperation } from './start-task.ts'
import { voiceOf } from './voices.ts'

/** Every browser plays it, so n8n does too. */
const SAMPLE_FORMAT = 'mp3'

/** What a voice says if the user writes nothing else. */
const SAMPLE_TEXT = 'Good morning. The train to the coast leaves at seven.'

/** A voice from a recording of somebody. */
export const voiceCreate: Operation = {
  resource: 'voice',
  operation: 'create',
  name: 'Create',
  action: 'Create voice',
  description: 'Make a voice from a recording. Its ID is the voice of speech and dialogue.',
  fields: [
    binaryInField,
    {
      displayName: 'Name',
      name: 'name',
      type: 'string',
      default: '',
      placeholder: 'e.g. Ann',
      description: 'Name of the voice',
    },
    optionsField([
      {
        displayName: 'Description',
        name: 'description',
        type: 'string',
        default: '',
        description: 'What the voice is like',
      },
    ]),
  ],

  async run(item) {
    const { form } = item
    const [name, description] = [form.text('name'), form.text('options.description')]
    const audio = await item.audio()
    const sample = await binaryInput(item)
    const voice = await audio.voices.create(
      {
        audio_sample: sample,
        ...(name === '' ? {} : { name }),
        ...(description === '' ? {} : { description }),
      },
      await item.billableCall(),
    )
    return [{ json: outputJson(voice) }]
  },
}

const generationFields: readonly INodeProperties[] = [
  textField('The text to speak'),
  {
    displayName: 'Voice Description',
    name: 'instruction',
    type: 'string',
    typeOptions: { rows: 2 },
    required: true,
    default: '',
    placeholder: 'e.g. An old man who speaks slowly',
    description: 'Style, age, emotion and speaking rate of the voice, in words',
  },
  modelField('searchVoiceModels', 'svc-voice-generator-1.0', 'The model that makes the voice'),
  formatField,
]

/** Speech in a voice that is described in words. */
export const voiceGenerate: Operation = {
  resource: 'voice',
  operation: 'generate',
  name: 'Generate',
  action: 'Generate voice from description',
  description: 'Speak a text in a voice that is described in words. Create makes a voice of that audio.',
  fields: [...generationFields, ...outputFields, optionsField([fileNameOption])],

  async run(item) {
    const { voiceGenerations } = await item.audio()
    return [await speak(item, voiceGenerations, generationBody(item))]
  },
}

/** Voice generation by a task. */
export const voiceStartTask: Operation = startTaskOperation({
  resource: 'voice',
  action: 'Start voice generation task',
  description: 'Generate a voice in the background, and output the ID of the task',
  fields: generationFields,
  options: [],
  body: generationBody,
  create: (audio, body, call) => audio.voiceGenerations.createTask(body, call),
})

function generationBody({ form }: Item): Omit<VoiceGenerationRequest, 'async' | 'delivery_method' | 'webhook_url'> {
  return {
    model: form.required('model'),
    input: form.required('text'),
    instruction: form.required('instruction'),
    response_format: form.required('responseFormat'),
  }
}

/** A short speech of a voice: the service has no recordings of its voices to listen to. */
export const voiceSample: Operation = {
  resource: 'voice',
  operation: 'sample',
  name: 'Speak Sample',
  action: 'Speak sample of voice',
  description: 'Hear a voice before you choose it. The sample is billed like any speech.',
  fields: [
    voiceField('voice'),
    { ...textField('What the voice says. Write it in the language of the voice.'), default: SAMPLE_TEXT },
    modelField('searchSpeechModels', 'svc-tts-1.5-flash', 'The model that speaks'),
    ...outputFields,
    optionsField(),
  ],

  async run(item) {
    const { form } = item
    const voice = await voiceOf(item)
    const body = {
      model: form.required('model'),
      input: form.required('text'),
      voice_id: voice,
      response_format: SAMPLE_FORMAT,
    }
    const { speech } = await item.audio()
    const { json, ...files } = await speak(item, speech, body, voice)
    return [{ json: { voiceId: voice, ...json }, ...files }]
  },
}

/** The voices of this account. */
export const voiceGetAll: Operation = getMany({
  resource: 'voice',
  plural: 'voices',
  description: 'List the voices of the account',
  filter: { name: 'status', displayName: 'Status', placeholder: 'e.g. active' },
  limitMax: VOICES_LIMIT_MAX,
  list: (audio, { limit, filter }, call) =>
    audio.voices.list({ limit, ...(filter === undefined ? {} : { status: filter }) }, call),
  simplify: ({ id, name, language, gender, created_at: created }) => ({
    id,
    name,
    ...(language === undefined ? {} : { language }),
    ...(gender === undefined ? {} : { gender }),
    createdAt: isoDate(created),
  }),
})
