import { FILES_LIMIT_MAX } from '@svc-audio/core/interface'
import { getMany, isoDate } from '../lists.ts'
import type { Operation } from '../operation.ts'

/** The files of this account. */
export const fileGetAll: Operation = getMany({
  resource: 'file',
  plural: 'files',
  description: 'List the files that the service stores',
  filter: { name: 'purpose', displayName: 'Purpose', placeholder: 'e.g. audio' },
  limitMax: FILES_LIMIT_MAX,
  list: (audio, { limit, filter }, call) =>
    audio.files.list({ limit, ...(filter === undefined ? {} : { purpose: filter }) }, call),
  simplify: ({ id, filename, bytes, created_at: created }) => ({
    id,
    fileName: filename,
    bytes,
    createdAt: isoDate(created),
  }),
})
