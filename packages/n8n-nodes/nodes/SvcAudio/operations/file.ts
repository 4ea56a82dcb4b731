import { FILES_LIMIT_MAX } from '@svc-audio/core/interface'
import { binaryInField, fileField, optionsField } from './fields.ts'
import { binaryInput, isoDate, outputJson } from './item-files.ts'
import { getMany } from './lists.ts'
import type { Operation } from './operation.ts'

/** A file of an item to the service. */
export const fileUpload: Operation = {
  resource: 'file',
  operation: 'upload',
  name: 'Upload',
  action: 'Upload file',
  description: 'Store a file at the service, to transcribe it later or several times',
  fields: [
    binaryInField,
    optionsField(
      [
        {
          displayName: 'Purpose',
          name: 'purpose',
          type: 'string',
          default: 'audio',
          description:
            'A word that the service records, to filter the list of files by. Without this option it is audio.',
        },
      ],
      { billable: false },
    ),
  ],

  async run(item) {
    const purpose = item.form.optionalText('options.purpose') ?? 'audio'
    const audio = await item.audio()
    const file = await binaryInput(item)
    const stored = await audio.files.create({ file, purpose }, item.call)
    return [{ json: outputJson(stored) }]
  },
}

/** What the service knows of a file. */
export const fileGet: Operation = {
  resource: 'file',
  operation: 'get',
  name: 'Get',
  action: 'Get file',
  description: 'Get name, size and status of a file',
  fields: [fileField, optionsField([], { billable: false })],

  async run(item) {
    const audio = await item.audio()
    return [{ json: outputJson(await audio.files.retrieve(item.form.required('fileId'), item.call)) }]
  },
}

/** Removes a file from the service. */
export const fileDelete: Operation = {
  resource: 'file',
  operation: 'delete',
  name: 'Delete',
  action: 'Delete file',
  description: 'Delete a file from the service',
  fields: [fileField, optionsField([], { billable: false })],

  async run(item) {
    const audio = await item.audio()
    const { deleted } = await audio.files.delete(item.form.required('fileId'), item.call)
    return [{ json: { deleted } }]
  },
}

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
