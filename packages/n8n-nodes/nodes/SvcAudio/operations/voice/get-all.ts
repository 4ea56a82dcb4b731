import { VOICES_LIMIT_MAX } from '@svc-audio/core'
import { listFields, optionsField } from '../fields.ts'
import { isoDate, limitOf, listItems } from '../lists.ts'
import type { Operation } from '../operation.ts'

const show = { resource: ['voice'], operation: ['getAll'] }

/** The voices of this account. */
export const voiceGetAll: Operation = {
  resource: 'voice',
  operation: 'getAll',
  name: 'Get Many',
  action: 'Get many voices',
  description: 'List the voices of the account',
  fields: [
    ...listFields(show),
    optionsField(
      show,
      [
        {
          displayName: 'Status',
          name: 'status',
          type: 'string',
          default: '',
          placeholder: 'e.g. active',
          description: 'Only voices with this status',
        },
      ],
      { billable: false },
    ),
  ],

  async run(item) {
    const status = item.form.optionalText('options.status')
    const audio = await item.audio()
    const limit = Math.min(limitOf(item), VOICES_LIMIT_MAX)
    const voices = audio.voices.list({ limit, ...(status === undefined ? {} : { status }) }, item.call)
    return listItems(item, voices, ({ id, name, created_at: created }) => ({ id, name, createdAt: isoDate(created) }))
  },
}
