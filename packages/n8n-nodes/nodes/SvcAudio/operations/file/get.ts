import { fileField, optionsField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { outputJson } from '../output-json.ts'

const showGet = { resource: ['file'], operation: ['get'] }
const showDelete = { resource: ['file'], operation: ['delete'] }

/** What the service knows of a file. */
export const fileGet: Operation = {
  resource: 'file',
  operation: 'get',
  name: 'Get',
  action: 'Get file',
  description: 'Get name, size and status of a file',
  fields: [fileField(showGet), optionsField(showGet, [], { billable: false })],

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
  fields: [fileField(showDelete), optionsField(showDelete, [], { billable: false })],

  async run(item) {
    const audio = await item.audio()
    const { deleted } = await audio.files.delete(item.form.required('fileId'), item.call)
    return [{ json: { deleted } }]
  },
}
