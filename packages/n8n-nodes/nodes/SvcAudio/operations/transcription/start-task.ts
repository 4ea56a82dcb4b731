import { optionsField, webhookUrlField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { registerOption, startTask, webhookUrl } from '../start-task.ts'
import { recognitionOptions, transcriptionFields } from './fields.ts'
import { recognitionBody } from './transcription-body.ts'

const show = { resource: ['transcription'], operation: ['startTask'] }

/** Speech to text by a task, for long recordings. */
export const transcriptionStartTask: Operation = {
  resource: 'transcription',
  operation: 'startTask',
  name: 'Start Task',
  action: 'Start transcription task',
  description: 'Transcribe a long recording in the background, and put out the ID of the task',
  fields: [
    ...transcriptionFields(show),
    webhookUrlField(show),
    optionsField(show, [...recognitionOptions, registerOption]),
  ],

  async run(item) {
    const audio = await item.audio()
    const body = await recognitionBody(item)
    return startTask(item, () => audio.transcriptions.createTask({ ...body, ...webhookUrl(item) }, item.billableCall))
  },
}
