import { aigcOption, optionsField, webhookUrlField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { registerOption, startTask, webhookUrl } from '../start-task.ts'
import { dialogueBody, isOfAllItems } from './dialogue-body.ts'
import { dialogueFields } from './fields.ts'

const show = { resource: ['dialogue'], operation: ['startTask'] }

/** A dialogue by a task, for long ones. */
export const dialogueStartTask: Operation = {
  resource: 'dialogue',
  operation: 'startTask',
  name: 'Start Task',
  action: 'Start dialogue task',
  description: 'Speak a long dialogue in the background, and put out the ID of the task',
  fields: [...dialogueFields(show), webhookUrlField(show), optionsField(show, [aigcOption, registerOption])],
  takesAllItems: isOfAllItems,

  async run(item) {
    const audio = await item.audio()
    return startTask(item, () =>
      audio.dialogue.createTask({ ...dialogueBody(item), ...webhookUrl(item) }, item.billableCall),
    )
  },
}
