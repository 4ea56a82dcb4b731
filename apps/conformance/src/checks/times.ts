import { type Check, check } from '../check.ts'
import type { Fields } from '../http/response.ts'
import { ensure, NotChecked } from '../outcomes.ts'
import { createdVoice, dataOf, fileId, models, newUpload, storedFile, unique, upload } from '../subject/fixtures.ts'
import type { Subject } from '../subject/subject.ts'
import { finishedTask, lookAt } from '../subject/tasks.ts'

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
