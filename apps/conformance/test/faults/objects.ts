import { randomUUID } from 'node:crypto'
import { jsonResponse } from '../support/fault-proxy.ts'
import {
  accepts,
  answers,
  asks,
  asksForm,
  DELETION,
  FILE,
  FILES,
  goesTo,
  lists,
  MODELS,
  NEW_FILE,
  NEW_VOICE,
  type Planted,
  queries,
  refuses,
  rejects,
  rows,
  sendsHeader,
  SPEECH,
  TRANSCRIPTION,
  VOICES,
} from './plant.ts'

let clock = 1_700_000_000
const move = (time: unknown): number => Number(time) + 1 + ((clock += 1) % 100)

/** Faults of models. */
export const modelFaults: readonly Planted[] = [
  [
    'one model begins with another word',
    'general.svc-word',
    lists(MODELS, ([first, ...rest]) => [{ ...first, id: 'acme-tts' }, ...rest]),
  ],
  ['the list of models is no list', 'model.fields', answers(MODELS, (fields) => void (fields['object'] = 'models'))],
  ['a model has no owner', 'model.fields', rows(MODELS, 'data', (model) => void delete model['owned_by'])],
  [
    'models are created in milliseconds',
    'model.fields',
    rows(MODELS, 'data', (model) => void (model['created'] = 1000 * Number(model['created']))),
  ],
  [
    'created of a model moves',
    'model.fields',
    rows(MODELS, 'data', (model) => void (model['created'] = Number(model['created']) - ((clock += 1) % 100))),
  ],
  ['a model is listed twice', 'model.fields', lists(MODELS, (all) => [...all, ...all.slice(0, 1)])],
  ['no model is listed', 'model.id-use', lists(MODELS, () => [])],
  [
    'a model that works is not listed',
    'model-listing.endpoint',
    lists(MODELS, (all) => all.filter(({ id }) => !String(id).includes('transcribe-diarize'))),
  ],
  ['a single model can be read', 'model-listing.no-detail', accepts('GET /v1/models/*', { object: 'model' })],
  ['a listed model is refused', 'model.id-use', rejects(SPEECH, ({ json }) => String(json['model']).includes('pro'))],
  [
    'an endpoint accepts every model',
    'models.own-endpoint',
    asks(SPEECH, (json) => {
      if ('model' in json && json['stream'] !== true) json['model'] = 'svc-tts-1.5-flash'
    }),
  ],
  [
    'an unknown date of a model counts as the newest',
    'versioning.dated',
    asks('POST /v1/audio/speech/speakers', (json) => {
      if (String(json['model']).endsWith('1999-01-01')) json['model'] = 'svc-ttsd-1.0'
    }),
  ],
  ['the list of models is sent as text', 'model-listing.endpoint', sendsHeader(MODELS, 'content-type', 'text/plain')],
]

/** Faults of voices. */
export const voiceFaults: readonly Planted[] = [
  ['a voice has another object', 'voice.fields', rows(VOICES, 'data', (voice) => void (voice['object'] = 'voice'))],
  [
    'a voice without a name has the name null',
    'voice.name-empty',
    answers(NEW_VOICE, (voice) => {
      if (voice['name'] === '') voice['name'] = null
    }),
  ],
  [
    'voices are created in milliseconds',
    'voice.fields',
    rows(VOICES, 'data', (voice) => void (voice['created_at'] = 1000 * Number(voice['created_at']))),
  ],
  [
    'a voice shows its preview',
    'voice.no-urls',
    rows(VOICES, 'data', (voice) => void (voice['preview'] = 'https://example.com/a.wav')),
  ],
  ['the list of voices has no has_more', 'voice-list.fields', answers(VOICES, (page) => void delete page['has_more'])],
  [
    'has_more is always false',
    'voice-list.cursor',
    answers(VOICES, (page) => {
      page['has_more'] = false
      delete page['next_cursor']
    }),
  ],
  ['the last page has a cursor', 'voice-list.cursor', answers(VOICES, (page) => void (page['next_cursor'] ??= 'more'))],
  ['a full page has no cursor', 'voice-list.cursor', answers(VOICES, (page) => void delete page['next_cursor'])],
  [
    'first_id and last_id are swapped',
    'voice-list.page-ids',
    answers(VOICES, (page) => {
      const { first_id: first, last_id: last } = page
      Object.assign(page, { first_id: last, last_id: first })
    }),
  ],
  ['the cursor is ignored', 'voice-listing.after', queries(VOICES, (query) => query.delete('after'))],
  [
    'each page repeats a voice of the page before',
    'voice-listing.after',
    queries(VOICES, (query) => {
      if (query.has('after') && query.has('limit')) {
        query.delete('after')
        query.set('offset', '1')
      }
    }),
  ],
  ['the offset of voices is ignored', 'voice-listing.offset', queries(VOICES, (query) => query.delete('offset'))],
  ['the limit of voices is ignored', 'voice-listing.limit', queries(VOICES, (query) => query.delete('limit'))],
  ['the status of voices is ignored', 'voice-listing.status', queries(VOICES, (query) => query.delete('status'))],
  [
    'the status is an error for every value',
    'voice-listing.endpoint',
    {
      instead: (request) =>
        goesTo(VOICES, request) && !request.path.includes('?')
          ? jsonResponse(400, { error: { code: 'no_status' } })
          : undefined,
    },
  ],
  [
    'a new voice is not listed',
    'voice.fields',
    lists(VOICES, (all) => all.filter(({ name }) => name !== 'Conformance')),
  ],
  ['the name of a new voice is lost', 'voice-creation.texts', asksForm(NEW_VOICE, (form) => form.delete('name'))],
  ['every new voice has the same id', 'voice.fields', answers(NEW_VOICE, (voice) => void (voice['id'] = 'voice'))],
  ['a voice is made without a sample', 'voice-creation.sample', accepts(NEW_VOICE, { id: 'v' })],
  ['a voice is made from JSON', 'voice-creation.multipart', accepts(NEW_VOICE, { id: 'v' })],
  ['a voice is made from base64 text', 'voice-creation.sample-only', accepts(NEW_VOICE, { id: 'v' })],
  [
    'a new voice has no creation time',
    'voice-creation.answer',
    answers(NEW_VOICE, (voice) => void delete voice['created_at']),
  ],
  [
    'a single voice can be read',
    'voice-creation.no-retrieval',
    accepts('GET /v1/audio/voices/*', { object: 'audio.voice' }),
  ],
  [
    'a refused voice body is an empty page',
    'errors.voice-body',
    refuses(NEW_VOICE, (response) => void (response.body = Buffer.alloc(0))),
  ],
]

/** Faults of files. */
export const fileFaults: readonly Planted[] = [
  [
    'created_at of a file moves',
    'file-retrieval.path',
    answers(FILE, (file) => void (file['created_at'] = move(file['created_at']))),
  ],
  [
    'a new file is an hour in the past',
    'general.timestamps',
    answers(NEW_FILE, (file) => void (file['created_at'] = Number(file['created_at']) - 3600)),
  ],
  [
    'the size of a file is one byte off',
    'file.fields',
    answers(NEW_FILE, (file) => void (file['bytes'] = Number(file['bytes']) + 1)),
  ],
  [
    'the size of a file is a text',
    'file-upload.answer',
    answers(NEW_FILE, (file) => void (file['bytes'] = String(file['bytes']))),
  ],
  [
    'a name outside ASCII is lost',
    'file.fields',
    answers(NEW_FILE, (file) => void (file['filename'] = String(file['filename']).replaceAll(/[^\w.]/g, '_'))),
  ],
  ['every good file is failed', 'file.fields', answers(NEW_FILE, (file) => void (file['status'] = 'failed'))],
  ['the purpose is lost', 'file-upload.purpose', asksForm(NEW_FILE, (form) => form.set('purpose', 'audio'))],
  ['an empty purpose becomes null', 'file.purpose-empty', answers(NEW_FILE, (file) => void (file['purpose'] ||= null))],
  ['a file shows its asset', 'file.no-internal-id', answers(NEW_FILE, (file) => void (file['asset_id'] = 'asset-1'))],
  [
    'an upload of unknown length is refused',
    'file-upload.streamed',
    rejects(NEW_FILE, ({ form }) => String(Object(form?.get('file')).name).startsWith('streamed')),
  ],
  ['a JSON body is stored', 'file-upload.multipart', accepts(NEW_FILE, { id: 'f' })],
  ['the limit of files is ignored', 'file-listing.limit', queries(FILES, (query) => query.delete('limit'))],
  ['a page of 200 files is refused', 'file-listing.limit', rejects(FILES, ({ path }) => path.includes('limit=200'))],
  ['the offset of files is ignored', 'file-listing.offset', queries(FILES, (query) => query.delete('offset'))],
  [
    'the highest offset is refused',
    'file-listing.offset',
    rejects(FILES, ({ path }) => path.includes('offset=100000')),
  ],
  ['the purpose of a list is ignored', 'file-listing.purpose', queries(FILES, (query) => query.delete('purpose'))],
  ['a listed file has no status', 'file-listing.answer', rows(FILES, 'data', (file) => void delete file['status'])],
  [
    'a listed file has another name than its upload',
    'file-listing.answer',
    rows(FILES, 'data', (file) => void (file['filename'] = 'file.wav')),
  ],
  ['a file is read under another id', 'file-retrieval.path', answers(FILE, (file) => void (file['id'] = randomUUID()))],
  ['an unknown file is found', 'file-retrieval.path', accepts(FILE, { id: 'f', object: 'file' })],
  ['deleted is a text', 'file-deletion.fields', answers(DELETION, (file) => void (file['deleted'] = 'true'))],
  [
    'a deletion has another object',
    'file-deletion.fields',
    answers(DELETION, (file) => void (file['object'] = 'file.deleted')),
  ],
  ['a second deletion succeeds', 'file-deletion.path', accepts(DELETION, { deleted: true })],
  [
    'a deletion has no effect',
    'file-deletion.effect',
    {
      instead: (request) =>
        goesTo(DELETION, request)
          ? jsonResponse(200, { id: request.path.split('/').at(-1), object: 'file', deleted: true })
          : undefined,
    },
  ],
  ['a deleted file can be transcribed', 'file-deletion.effect', accepts(TRANSCRIPTION)],
  [
    'a deleted file is listed',
    'file-deletion.effect',
    answers(FILES, (page) => {
      if (Array.isArray(page['data']) && page['data'].length === 0) page['data'] = [{ id: 'deleted', object: 'file' }]
    }),
  ],
  [
    'a file of 540 MB is accepted',
    'limits.file-size',
    {
      early: (path, length) =>
        length > 512 * 1024 * 1024 ? jsonResponse(path === '/v1/files' ? 200 : 413, { id: 'f' }) : undefined,
    },
  ],
]
