import { FILES_LIMIT_MAX } from '@svc-audio/core'
import { listFields, optionsField } from '../fields.ts'
import { isoDate, limitOf, listItems } from '../lists.ts'
import type { Operation } from '../operation.ts'

const show = { resource: ['file'], operation: ['getAll'] }

/** The files of this account. */
export const fileGetAll: Operation = {
  resource: 'file',
  operation: 'getAll',
  name: 'Get Many',
  action: 'Get many files',
  description: 'List the files that the service stores',
  fields: [
    ...listFields(show),
    optionsField(
      show,
      [
        {
          displayName: 'Purpose',
          name: 'purpose',
          type: 'string',
          default: '',
          placeholder: 'e.g. audio',
          description: 'Only files with this purpose',
        },
      ],
      { billable: false },
    ),
  ],

  async run(item) {
    const purpose = item.form.optionalText('options.purpose')
    const audio = await item.audio()
    const limit = Math.min(limitOf(item), FILES_LIMIT_MAX)
    const files = audio.files.list({ limit, ...(purpose === undefined ? {} : { purpose }) }, item.call)
    return listItems(item, files, ({ id, filename, bytes, created_at: created }) => ({
      id,
      fileName: filename,
      bytes,
      createdAt: isoDate(created),
    }))
  },
}
