import { audioFile, audioReference, outputOf } from '../audio-output.ts'
import { aigcOption, fileNameOption, optionsField, outputFields } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { dialogueBody, isOfAllItems } from './dialogue-body.ts'
import { dialogueFields } from './fields.ts'

const show = { resource: ['dialogue'], operation: ['create'] }

/** Lines of several speakers as one piece of audio. */
export const dialogueCreate: Operation = {
  resource: 'dialogue',
  operation: 'create',
  name: 'Convert Lines to Dialogue',
  action: 'Convert lines to dialogue',
  description: 'Speak the lines of several speakers, and put out the audio',
  fields: [...dialogueFields(show), ...outputFields(show), optionsField(show, [fileNameOption, aigcOption])],
  takesAllItems: isOfAllItems,

  async run(item) {
    const body = dialogueBody(item)
    const audio = await item.audio()
    if (outputOf(item) === 'url') {
      return [await audioReference(item, await audio.dialogue.createUrl(body, item.billableCall))]
    }
    const speech = await audio.dialogue.create(body, item.billableCall)
    return [await audioFile(item, speech, body.response_format ?? 'wav')]
  },
}
