import { VOICES_LIMIT_MAX } from '@svc-audio/core/interface'
import { getMany, isoDate } from '../lists.ts'
import type { Operation } from '../operation.ts'

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
