import { aigcOption, optionsField, webhookUrlField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { registerOption, startTask, webhookUrl } from '../start-task.ts'
import { speechFields } from './fields.ts'
import { speechBody } from './speech-body.ts'

const show = { resource: ['speech'], operation: ['startTask'] }

/** Text to speech by a task, for long texts. */
export const speechStartTask: Operation = {
  resource: 'speech',
  operation: 'startTask',
  name: 'Start Task',
  action: 'Start speech task',
  description: 'Speak a long text in the background, and put out the ID of the task',
  fields: [...speechFields(show), webhookUrlField(show), optionsField(show, [aigcOption, registerOption])],

  async run(item) {
    const audio = await item.audio()
    return startTask(item, () =>
      audio.speech.createTask({ ...speechBody(item), ...webhookUrl(item) }, item.billableCall),
    )
  },
}
