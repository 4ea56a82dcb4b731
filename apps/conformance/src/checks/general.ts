import { check, type Check } from '../check.ts'
import { ensure, type Fields, NotChecked, NotSupported, requireShape, seconds } from '../expect.ts'
import { createdVoice, dataOf, fileId, models, newUpload, storedFile, unique, upload } from '../subject/fixtures.ts'
import {
  accept,
  bodyOf,
  finishedTask,
  lookAt,
  needsRecognizer,
  pathOf,
  plain,
  refuse,
  refused,
  type RequestName,
} from '../subject/requests.ts'
import type { Subject } from '../subject/subject.ts'
import { urlResult } from './spoken.ts'

/** Largest accepted difference between two clocks, in seconds. */
const CLOCK_SKEW = 24 * 3600
/** Largest accepted age of a new thing by the clock of its own server, in seconds. */
const OWN_SKEW = 15 * 60

/** Requires a time of this run, by the clock of the server if its responses have a `Date`. */
function requireNow({ api }: Subject, where: string, time: unknown): void {
  requireShape(where, { created_at: time }, { created_at: seconds })
  const { serverTime } = api
  const off = Math.abs(Number(time) - (serverTime ?? Date.now() / 1000))
  ensure(
    off < (serverTime === undefined ? CLOCK_SKEW : OWN_SKEW),
    `${where}: ${String(time)} is ${Math.round(off)} s away from now`,
  )
}

/** Returns the model id without its date. */
const undated = (id: unknown): string => String(id).replace(/-\d{4}-\d{2}-\d{2}$/, '')

/** Returns the request type of a model. */
const USES: Readonly<Record<string, RequestName>> = {
  'tts-1.5-flash': 'speech',
  'tts-1.0-pro': 'speech',
  'ttsd-1.0': 'dialogue',
  'ttsd-1.0-2026-03-20': 'dialogue',
  'transcribe-1.0': 'transcription',
  'transcribe-diarize-pro': 'diarization',
  'voice-generator-1.0': 'generation',
}

/** Models that every server of the interface has. Voice generation is only “seen in use”. */
const LISTED = ['tts-1.5-flash', 'tts-1.0-pro', 'ttsd-1.0', 'transcribe-1.0', 'transcribe-diarize-pro'] as const

const ENDPOINTS = ['speech', 'dialogue', 'transcription', 'generation'] as const

/** Whether the run sends this request: not a transcription in quick mode. */
function isSent(subject: Subject, name: RequestName): boolean {
  return subject.options.quick !== true || !needsRecognizer(name)
}

async function refusesForeignModels(subject: Subject): Promise<void> {
  for (const name of ENDPOINTS.filter((one) => isSent(subject, one))) {
    const foreign = Object.keys(USES).filter((model) => pathOf(USES[model] ?? name) !== pathOf(name))
    for (const model of foreign) await refuse(subject, name, { model: subject.model(model) })
  }
}

async function listedIds(subject: Subject): Promise<string[]> {
  return (await models(subject)).map(({ id }) => String(id))
}

/** Rules of the whole interface, and of models. */
export const generalChecks: readonly Check[] = [
  check('general.svc-word', 'every listed model id begins with the same word', async (subject) => {
    const other = (await listedIds(subject)).find((id) => !id.startsWith(subject.model('')))
    ensure(other === undefined, `the model ${other} does not begin with ${subject.model('')}`)
  }),
  check('general.timestamps', 'the timestamps of a new task are in seconds and current', async (subject) => {
    const { creation, last } = await finishedTask(subject, 'speech')
    requireNow(subject, 'the creation result', creation['created_at'])
    requireNow(subject, 'the task', last['created_at'])
    requireNow(subject, 'updated_at of the task', last['updated_at'])
  }),
  check('general.timestamps', 'the timestamp of a new file is in seconds and current', async (subject) => {
    requireNow(subject, 'the file', (await upload(subject, await newUpload(subject)))['created_at'])
  }),
  check('general.timestamps', 'the timestamp of a new voice is in seconds and current', async (subject) => {
    requireNow(subject, 'the voice', (await createdVoice(subject))['created_at'])
  }),
  check('general.timestamps', 'the timestamp of a result is in seconds and current', async (subject) => {
    requireNow(subject, 'the result', (await urlResult(subject))['created_at'])
  }),
  check('endpoints.json', 'invalid JSON and JSON that is not an object are refused', async (subject) => {
    const names = ['speech', 'dialogue', 'generation', 'storedTranscription'] as const
    for (const name of names.filter((one) => isSent(subject, one))) {
      await plain(subject, name)
      for (const raw of ['{"model":', '["model"]', '"model"']) {
        const sent = { raw, contentType: 'application/json' }
        refused(await subject.api.send('POST', pathOf(name), sent), `the body ${raw}`)
      }
    }
  }),
  check('endpoints.exact-names', 'a misspelled required field counts as missing', async (subject) => {
    const { model, input, voice_id: voice } = await bodyOf(subject, 'speech')
    await refuse(subject, 'speech', { voice_id: undefined, voiceId: voice })
    await refuse(subject, 'speech', { model: undefined, Model: model })
    await refuse(subject, 'speech', { input: undefined, text: input })
  }),
  check('model-listing.endpoint', 'GET /v1/models answers with a list', async (subject) => {
    requireShape('GET /v1/models', await subject.api.read('/v1/models'), { object: (value) => isList(value) })
  }),
  check('model-listing.no-detail', 'a single model cannot be read', async (subject) => {
    const [id = ''] = await listedIds(subject)
    refused(await subject.api.send('GET', `/v1/models/${id}`), 'a request for one model')
  }),
  check('model.fields', 'the list and every model in it have all their fields', async (subject) => {
    const page = await subject.api.read('/v1/models')
    requireShape('GET /v1/models', page, { object: isList })
    for (const model of dataOf(page)) {
      ensure(model['object'] === 'model', `a model has the object ${JSON.stringify(model['object'])}`)
      ensure(typeof model['id'] === 'string' && model['id'] !== '', `a model has no id: ${JSON.stringify(model)}`)
      requireShape(`the model ${model['id']}`, model, { created: seconds })
      ensure(Number(model['created']) < Date.now() / 1000 + CLOCK_SKEW, `${model['id']} is created in the future`)
      ensure(typeof model['owned_by'] === 'string', `${model['id']} has no owner`)
    }
  }),
  check('model.fields', 'every model is listed once', async (subject) => {
    const ids = await listedIds(subject)
    ensure(new Set(ids).size === ids.length, `the list has a model twice: ${ids.join(', ')}`)
  }),
  check('model-listing.endpoint', 'the known models of speech and transcription are listed', async (subject) => {
    const listed = new Set((await listedIds(subject)).map(undated))
    const missing = LISTED.map((model) => subject.model(model)).find((id) => !listed.has(id))
    ensure(missing === undefined, `the server accepts ${missing}, and does not list it`)
  }),
  check('model-listing.endpoint', 'a POST to the list is refused', async (subject) => {
    await subject.api.read('/v1/models')
    refused(await subject.api.send('POST', '/v1/models', { json: {} }), 'a POST')
  }),
  check('model.id-use', 'every listed model of a known type is accepted by its endpoint', async (subject) => {
    const ids = await listedIds(subject)
    ensure(ids.length > 0, 'no model is listed')
    for (const id of ids) {
      const use = USES[undated(id).slice(subject.model('').length)]
      if (use !== undefined && isSent(subject, use)) await accept(subject, use, { model: id })
    }
  }),
  check('models.known', 'every known model id is accepted by its endpoint', async (subject) => {
    for (const [model, use] of Object.entries(USES)) {
      if (isSent(subject, use)) await accept(subject, use, { model: subject.model(model) })
    }
  }),
  check('models.own-endpoint', 'an endpoint refuses the models of other endpoints', refusesForeignModels),
  check('versioning.v1', 'the endpoints are under /v1', async (subject) => {
    for (const path of ['/v1/models', '/v1/audio/voices', '/v1/files']) await subject.api.read(path)
  }),
  check('versioning.undated', 'a model id without a date is accepted', async (subject) => {
    const names = ['speech', 'dialogue', 'transcription'] as const
    for (const name of names.filter((one) => isSent(subject, one))) await plain(subject, name)
  }),
  check('versioning.dated', 'the dated id of the multi-speaker model is accepted', async (subject) => {
    await accept(subject, 'dialogue', { model: subject.model('ttsd-1.0-2026-03-20') })
  }),
  check('versioning.dated', 'an unknown date is refused', async (subject) => {
    await refuse(subject, 'dialogue', { model: subject.model('ttsd-1.0-1999-01-01') })
  }),
]

function isList(value: unknown): string | undefined {
  return value === 'list' ? undefined : '"list"'
}

/** Snapshot ids. Only the list of models names them. */
export const snapshotChecks: readonly Check[] = [
  check('models.snapshots', 'listed snapshot ids of the single-speaker models are accepted', async (subject) => {
    const ids = (await models(subject)).map(({ id }) => String(id))
    const snapshots = ids.filter((id) => /-tts-.*-\d{4}-\d{2}-\d{2}$/.test(id))
    if (snapshots.length === 0) throw new NotSupported('GET /v1/models lists no snapshot of a single-speaker model')
    for (const model of snapshots) await accept(subject, 'speech', { model })
  }),
]

/** Requires that two responses about one thing agree on a field. */
function requireSame(where: string, field: string, one: Fields, other: Fields): void {
  const [first, second] = [JSON.stringify(one[field]), JSON.stringify(other[field])]
  ensure(first === second, `${where}: ${field} is ${first} first and ${second} later`)
}

/** Returns the entry of a list with this id. */
function entryOf(where: string, page: Fields, id: unknown): Fields {
  const entry = dataOf(page).find((one) => one['id'] === id)
  ensure(entry !== undefined, `${where} lacks ${String(id)}`)
  return entry
}

async function taskTimesStay(subject: Subject): Promise<void> {
  const { creation, looks } = await finishedTask(subject, 'speech')
  const later = await lookAt(subject, creation['task_id'])
  for (const look of [...looks, later]) requireSame('the task', 'created_at', creation, look)
  const updates = [...looks, later].map((look) => Number(look['updated_at']))
  updates.reduce((before, now) => {
    ensure(now >= before, `the task: updated_at goes back from ${before} to ${now}`)
    return now
  }, Number(creation['created_at']))
}

/** Checks that a thing is the same in every response. */
export const timeChecks: readonly Check[] = [
  check('general.timestamps', 'created_at of a task never changes, and updated_at never goes back', taskTimesStay),
  check('file-retrieval.path', 'a file is the same when uploaded and when read', async (subject) => {
    const file = await storedFile(subject)
    const read = await subject.api.read(`/v1/files/${await fileId(subject)}`)
    for (const field of ['bytes', 'created_at', 'filename', 'purpose']) requireSame('the file', field, file, read)
  }),
  check('file-listing.answer', 'a file is the same when uploaded and when listed', async (subject) => {
    const purpose = unique()
    const file = await upload(subject, await newUpload(subject, { purpose }))
    const listed = entryOf('the list', await subject.api.read(`/v1/files?purpose=${purpose}`), file['id'])
    for (const field of ['bytes', 'created_at', 'filename', 'purpose']) requireSame('the file', field, file, listed)
  }),
  check('voice.fields', 'a voice is the same when created and when listed', async (subject) => {
    const voice = await createdVoice(subject)
    const page = await subject.api.read('/v1/audio/voices?limit=150')
    if (page['has_more'] === true) throw new NotChecked('the server lists more than 150 voices')
    const listed = entryOf('the list', page, voice['id'])
    for (const field of ['name', 'created_at']) requireSame('the voice', field, voice, listed)
  }),
  check('model.fields', 'a model is the same when listed again', async (subject) => {
    const again = await subject.api.read('/v1/models')
    for (const model of await models(subject)) {
      const listed = entryOf('the list', again, model['id'])
      for (const field of ['created', 'owned_by']) requireSame(`the model ${String(model['id'])}`, field, model, listed)
    }
  }),
]
