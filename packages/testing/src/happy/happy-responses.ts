import type { FileDeletion, FileList, ModelList, StoredFile, Voice, VoiceList } from '@svc-audio/core'
import type { Route } from '../upstream/recorded-request.ts'
import { type HttpReply, json } from '../upstream/reply.ts'
import { type HappyCall, type HappyResponse, missing, queryNumber, readFields, Refusal, textField } from './fields.ts'
import { partOf } from './ranges.ts'
import { dialogue, speech, voiceGeneration } from './speech.ts'
import { transcription } from './transcriptions.ts'

/** The happy response of every endpoint. */
export const HAPPY_RESPONSES: Readonly<Record<Route, HappyResponse>> = {
  'POST /v1/audio/speech': speech,
  'POST /v1/audio/speech/speakers': dialogue,
  'POST /v1/audio/transcriptions': transcription,
  'POST /v1/audio/voices': createVoice,
  'GET /v1/audio/voices': listVoices,
  'POST /v1/audio/voice/generations': voiceGeneration,
  'GET /v1/audio/tasks/{task_id}': retrieveTask,
  'POST /v1/files': uploadFile,
  'GET /v1/files': listFiles,
  'GET /v1/files/{file_id}': (call) => json(findFile(call)),
  'DELETE /v1/files/{file_id}': deleteFile,
  'GET /v1/models': ({ world }) => json({ object: 'list', data: world.models } satisfies ModelList),
  'GET /v1/audio/results/{result_id}': downloadResult,
}

/** A cursor is not an id, so a client that confuses the two fails. */
function listVoices({ world, request: { query } }: HappyCall): HttpReply {
  const limit = queryNumber(query, 'limit', 1, 150, 20)
  const offset = queryNumber(query, 'offset', 0, Number.MAX_SAFE_INTEGER, 0)
  const after = query.get('after')
  const start = after === null ? offset : Number(/^cursor-(\d+)$/.exec(after)?.[1] ?? Number.NaN)
  if (Number.isNaN(start)) throw new Refusal(400, 'invalid_cursor', 'after', 'must be a next_cursor')
  // Every voice is active.
  const all = ['active', null].includes(query.get('status')) ? world.voices : []
  const data = all.slice(start, start + limit)
  const end = start + data.length
  const [first, last] = [data[0], data.at(-1)]
  const list: VoiceList = {
    object: 'list',
    data,
    has_more: end < all.length,
    ...(first === undefined || last === undefined ? {} : { first_id: first.id, last_id: last.id }),
    ...(end < all.length ? { next_cursor: `cursor-${end}` } : {}),
  }
  return json(list)
}

function createVoice({ world, request }: HappyCall): HttpReply {
  if (request.form === undefined) throw new Refusal(415, 'unsupported_media_type', null, 'The body must be a form')
  const fields = readFields(request)
  if (!request.form.files.some(({ field }) => field === 'audio_sample')) throw missing('audio_sample')
  const voice: Voice = {
    id: world.nextId('voice'),
    object: 'audio.voice',
    name: textField(fields, 'name', ''),
    created_at: world.seconds(),
  }
  world.voices.push(voice)
  return json(voice)
}

function retrieveTask({ world, id }: HappyCall): HttpReply {
  const task = world.tasks.poll(id)
  if (task === undefined) throw new Refusal(404, 'task_not_found', 'task_id', `There is no task ${id}`)
  return json(task)
}

function downloadResult({ world, request, id }: HappyCall): HttpReply {
  const found = world.results.find(id, request.query)
  if (found === 'expired') throw new Refusal(403, 'result_expired', null, 'The URL has expired')
  if (found === undefined) throw new Refusal(404, 'result_not_found', null, `There is no result ${id}`)
  return partOf(found, `"${id}"`, request.headers)
}

function uploadFile({ world, request }: HappyCall): HttpReply {
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

/** In the order of the uploads. */
function listFiles({ world, request: { query } }: HappyCall): HttpReply {
  const limit = queryNumber(query, 'limit', 1, 200, 100)
  const offset = queryNumber(query, 'offset', 0, 100_000, 0)
  const purpose = query.get('purpose')
  const fitting = world.files.filter((file) => purpose === null || file.purpose === purpose)
  return json({ object: 'list', data: fitting.slice(offset, offset + limit) } satisfies FileList)
}

function deleteFile(call: HappyCall): HttpReply {
  const { files } = call.world
  const file = findFile(call)
  files.splice(files.indexOf(file), 1)
  return json({ id: file.id, object: 'file', deleted: true } satisfies FileDeletion)
}

function findFile({ world, id }: HappyCall): StoredFile {
  const file = world.files.find((one) => one.id === id)
  if (file === undefined) throw new Refusal(404, 'file_not_found', 'file_id', `There is no file ${id}`)
  return file
}
