import { binaryInput } from '../binary-input.ts'
import { binaryInField, optionsField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { outputJson } from '../output-json.ts'

const show = { resource: ['voice'], operation: ['create'] }

/** A voice from a recording of somebody. */
export const voiceCreate: Operation = {
  resource: 'voice',
  operation: 'create',
  name: 'Create',
  action: 'Create voice',
  description: 'Make a voice from a recording. Its ID is the voice of speech and dialogue.',
  fields: [
    binaryInField(show),
    {
      displayName: 'Name',
      name: 'name',
      type: 'string',
      default: '',
      placeholder: 'e.g. Ann',
      description: 'Name of the voice',
      displayOptions: { show },
    },
    optionsField(show, [
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
      item.billableCall,
    )
    return [{ json: outputJson(voice) }]
  },
}
