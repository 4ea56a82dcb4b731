import type { FileDeletion, FileList, StoredFile } from '@svc-audio/core'
import { json } from '../upstream/replies.ts'
import { missing, queryNumber, readFields, textField } from './fields.ts'
import type { HappyResponse, HappyCall } from './happy-call.ts'
import { Refusal } from './refusal.ts'

/** `POST /v1/files` */
export const uploadFile: HappyResponse = ({ world, request }) => {
  if (request.form === undefined) throw new Refusal(415, 'unsupported_media_type', null, 'The body must be a form')
  const upload = request.form.files.find(({ field }) => field === 'file')
  if (upload === undefined) throw missing('file')
  const file: StoredFile = {
    id: world.nextId('file'),
    object: 'file',
    bytes: upload.bytes,
    created_at: world.seconds(),
    filename: upload.filename,
    purpose: textField(readFields(request), 'purpose', ''),
    status: 'processed',
  }
  world.files.push(file)
  return json(file)
}

/** `GET /v1/files`, in the order of the uploads. */
export const listFiles: HappyResponse = ({ world, request }) => {
  const { query } = request
  const limit = queryNumber(query, 'limit', 1, 200, 100)
  const offset = queryNumber(query, 'offset', 0, 100_000, 0)
  const purpose = query.get('purpose')
  const fitting = world.files.filter((file) => purpose === null || file.purpose === purpose)
  const list: FileList = { object: 'list', data: fitting.slice(offset, offset + limit) }
  return json(list)
}

/** `GET /v1/files/{file_id}` */
export const retrieveFile: HappyResponse = (call) => json(find(call))

/** `DELETE /v1/files/{file_id}` */
export const deleteFile: HappyResponse = (call) => {
  const { files } = call.world
  const { id } = find(call)
  files.splice(
    files.findIndex((file) => file.id === id),
    1,
  )
  const deletion: FileDeletion = { id, object: 'file', deleted: true }
  return json(deletion)
}

function find({ world, id }: HappyCall): StoredFile {
  const file = world.files.find((one) => one.id === id)
  if (file === undefined) throw new Refusal(404, 'file_not_found', 'file_id', `There is no file ${id}`)
  return file
}
