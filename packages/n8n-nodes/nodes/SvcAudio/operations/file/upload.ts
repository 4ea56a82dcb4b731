import { binaryInput } from '../binary-input.ts'
import { binaryInField, optionsField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { outputJson } from '../output-json.ts'

const show = { resource: ['file'], operation: ['upload'] }

/** A file of an item to the service. */
export const fileUpload: Operation = {
  resource: 'file',
  operation: 'upload',
  name: 'Upload',
  action: 'Upload file',
  description: 'Store a file at the service, to transcribe it later or several times',
  fields: [
    binaryInField(show),
    {
      displayName: 'Purpose',
      name: 'purpose',
      type: 'string',
      default: 'audio',
      description: 'A marker that the service records, to filter by',
      displayOptions: { show },
    },
    optionsField(show, [], { billable: false }),
  ],

  async run(item) {
    const purpose = item.form.text('purpose')
    const audio = await item.audio()
    const file = await binaryInput(item)
    const stored = await audio.files.create({ file, ...(purpose === '' ? {} : { purpose }) }, item.call)
    return [{ json: outputJson(stored) }]
  },
}
