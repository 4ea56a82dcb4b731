import type { Voice, VoiceList } from '@svc-audio/core'
import { json } from '../upstream/replies.ts'
import { missing, queryNumber, readFields, textField } from './fields.ts'
import type { HappyResponse } from './happy-call.ts'
import { Refusal } from './refusal.ts'

/** `GET /v1/audio/voices`. A cursor is not an id, so a client that confuses the two fails. */
export const listVoices: HappyResponse = ({ world, request }) => {
  const { query } = request
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

/** `POST /v1/audio/voices` */
export const createVoice: HappyResponse = ({ world, request }) => {
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
