import type { VoiceGenerationRequest } from '@svc-audio/core/pure'
import type { INodeProperties } from 'n8n-workflow'
import { audioFile, audioReference, outputOf } from '../audio-output.ts'
import {
  fileNameOption,
  formatField,
  modelField,
  optionsField,
  outputFields,
  type Show,
  textField,
  webhookUrlField,
} from '../fields.ts'
import type { Item } from '../item.ts'
import type { Operation } from '../operation.ts'
import { registerOption, startTask, webhookUrl } from '../start-task.ts'

const showGenerate = { resource: ['voice'], operation: ['generate'] }
const showStart = { resource: ['voice'], operation: ['startTask'] }

function fields(show: Show): INodeProperties[] {
  return [
    textField(show, 'The text to speak'),
    {
      displayName: 'Voice Description',
      name: 'instruction',
      type: 'string',
      typeOptions: { rows: 2 },
      required: true,
      default: '',
      placeholder: 'e.g. An old man who speaks slowly',
      description: 'Style, age, emotion and speaking rate of the voice, in words',
      displayOptions: { show },
    },
    modelField(show, 'searchVoiceModels', 'svc-voice-generator-1.0', 'The model that makes the voice'),
    formatField(show),
  ]
}

function body({ form }: Item): Omit<VoiceGenerationRequest, 'async' | 'delivery_method' | 'webhook_url'> {
  return {
    model: form.required('model'),
    input: form.required('text'),
    instruction: form.required('instruction'),
    response_format: form.required('responseFormat'),
  }
}

/** Speech in a voice that is described in words. */
export const voiceGenerate: Operation = {
  resource: 'voice',
  operation: 'generate',
  name: 'Generate',
  action: 'Generate voice from description',
  description: 'Speak a text in a voice that is described in words. Create makes a voice of that audio.',
  fields: [...fields(showGenerate), ...outputFields(showGenerate), optionsField(showGenerate, [fileNameOption])],

  async run(item) {
    const { voiceGenerations } = await item.audio()
    if (outputOf(item) === 'url') {
      return [await audioReference(item, await voiceGenerations.createUrl(body(item), item.billableCall))]
    }
    const audio = await voiceGenerations.create(body(item), item.billableCall)
    return [await audioFile(item, audio, item.form.required('responseFormat'))]
  },
}

/** Voice generation by a task. */
export const voiceStartTask: Operation = {
  resource: 'voice',
  operation: 'startTask',
  name: 'Start Task',
  action: 'Start voice generation task',
  description: 'Generate a voice in the background, and put out the ID of the task',
  fields: [...fields(showStart), webhookUrlField(showStart), optionsField(showStart, [registerOption])],

  async run(item) {
    const { voiceGenerations } = await item.audio()
    return startTask(item, () => voiceGenerations.createTask({ ...body(item), ...webhookUrl(item) }, item.billableCall))
  },
}
