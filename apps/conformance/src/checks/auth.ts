import { type Check, check, unobservable, type Unobservable } from '../check.ts'
import { ensure } from '../expect.ts'
import type { Sent } from '../http/api.ts'
import { createdVoice, dataOf, fileId, newUpload, storedFile, unique, upload, voiceForm } from '../subject/fixtures.ts'
import {
  accept,
  bodyOf,
  finishedTask,
  needsRecognizer,
  pathOf,
  plain,
  readError,
  refused,
  type RequestName,
} from '../subject/requests.ts'
import type { Subject } from '../subject/subject.ts'

/** A request to an existing endpoint. */
interface Call {
  readonly method: string
  readonly path: string
  readonly sent: Sent
}

const POSTS = ['speech', 'dialogue', 'generation', 'storedTranscription'] as const satisfies readonly RequestName[]

/** Returns a valid request to each endpoint. @throws Violation when an endpoint is missing */
async function everyCall(subject: Subject): Promise<Call[]> {
  const calls: Call[] = []
  const quick = subject.options.quick === true
  for (const name of POSTS.filter((one) => !quick || !needsRecognizer(one))) {
    await plain(subject, name)
    calls.push({ method: 'POST', path: pathOf(name), sent: { json: await bodyOf(subject, name) } })
  }
  await createdVoice(subject)
  const file = await fileId(subject)
  const { creation } = await finishedTask(subject, 'speech')
  const { bytes } = await newUpload(subject)
  const form = new FormData()
  form.append('file', new Blob([bytes]), 'stolen.wav')
  return [
    ...calls,
    { method: 'POST', path: '/v1/audio/voices', sent: { form: await voiceForm(subject, {}) } },
    { method: 'POST', path: '/v1/files', sent: { form } },
    ...['/v1/models', '/v1/audio/voices', '/v1/files', `/v1/files/${file}`].map((path) => get(path)),
    get(`/v1/audio/tasks/${String(creation['task_id'])}`),
    { method: 'DELETE', path: `/v1/files/${file}`, sent: {} },
  ]
}

const get = (path: string): Call => ({ method: 'GET', path, sent: {} })

async function refusesKeys(subject: Subject): Promise<void> {
  for (const { method, path, sent } of await everyCall(subject)) {
    for (const wrong of [{ key: null }, { key: unique() }, { key: null, headers: { authorization: 'Basic dTpw' } }]) {
      const response = await subject.api.send(method, path, { ...sent, ...wrong })
      const isRefusal = response.status >= 400 && response.status < 500
      ensure(isRefusal, `${method} ${path} answered ${response.status} without a valid key`)
      readError(response)
    }
  }
}

async function refusesNearKeys(subject: Subject): Promise<void> {
  const { key } = subject.options
  ensure((await subject.api.send('GET', '/v1/models')).accepted, 'the valid key is refused')
  for (const near of [`${key}x`, key.slice(0, -1), key.toUpperCase() === key ? key.toLowerCase() : key.toUpperCase()]) {
    const { status } = await subject.api.send('GET', '/v1/models', { key: near })
    ensure(status >= 400 && status < 500, `a key that differs from the valid one at its end was answered ${status}`)
  }
}

async function idsFor(subject: Subject, path: string, key?: string): Promise<unknown[]> {
  const response = await subject.api.send('GET', path, key === undefined ? {} : { key })
  return dataOf(response.fields).map(({ id }) => id)
}

async function keepsTenantsApart(subject: Subject): Promise<void> {
  const key = subject.need('secondKey', '--second-key')
  const own = {
    '/v1/files?limit=200': await fileId(subject),
    '/v1/audio/voices?limit=150': (await createdVoice(subject))['id'],
  }
  for (const [path, id] of Object.entries(own)) {
    ensure((await idsFor(subject, path)).includes(id), `GET ${path} does not show ${String(id)} to its owner`)
    ensure(!(await idsFor(subject, path, key)).includes(id), `GET ${path} shows ${String(id)} to another tenant`)
  }
  await idsFor(subject, '/v1/models', key)
}

/** Authentication. */
export const authChecks: readonly Check[] = [
  check('auth.bearer', 'every endpoint refuses a request without a valid key', refusesKeys),
  check('auth.bearer', 'a key that is nearly the valid one is refused', refusesNearKeys),
  check('auth.deleted-key', 'a deleted key is refused', async (subject) => {
    const key = subject.need('deletedKey', '--deleted-key')
    ensure((await subject.api.send('GET', '/v1/models')).accepted, 'the valid key is refused')
    const response = await subject.api.send('GET', '/v1/models', { key })
    ensure(response.status >= 400 && response.status < 500, `a deleted key was answered ${response.status}`)
  }),
  check('auth.whole-account', 'one key works for every endpoint', async (subject) => {
    await everyCall(subject)
  }),
  check('auth.file-owner', 'another tenant can neither read nor delete a file', async (subject) => {
    const key = subject.need('secondKey', '--second-key')
    await storedFile(subject)
    const file = await upload(subject, await newUpload(subject))
    const path = `/v1/files/${String(file['id'])}`
    refused(await subject.api.send('GET', path, { key }), 'a request for the file of another tenant')
    refused(await subject.api.send('DELETE', path, { key }), 'the deletion of the file of another tenant')
    ensure((await subject.api.send('GET', path)).accepted, 'the file was deleted')
  }),
  check('auth.file-owner', 'another tenant cannot transcribe a file', async (subject) => {
    const key = subject.need('secondKey', '--second-key')
    await plain(subject, 'storedTranscription')
    const json = await bodyOf(subject, 'storedTranscription')
    const response = await subject.api.send('POST', '/v1/audio/transcriptions', { json, key })
    refused(response, 'the file of another tenant')
  }),
  check('auth.tenant-lists', 'another tenant cannot read a task', async (subject) => {
    const key = subject.need('secondKey', '--second-key')
    const { creation } = await finishedTask(subject, 'speech')
    const path = `/v1/audio/tasks/${String(creation['task_id'])}`
    refused(await subject.api.send('GET', path, { key }), 'a request for the task of another tenant')
  }),
  check('auth.tenant-lists', 'another tenant cannot speak in a voice that it does not see', async (subject) => {
    const key = subject.need('secondKey', '--second-key')
    const voice = (await createdVoice(subject))['id']
    await accept(subject, 'speech', { voice_id: voice })
    const json = await bodyOf(subject, 'speech', { voice_id: voice })
    refused(await subject.api.send('POST', '/v1/audio/speech', { json, key }), 'the voice of another tenant')
  }),
  check('auth.tenant-lists', 'the lists of a tenant hold only its own entries', keepsTenantsApart),
]

/** Rules about key creation, which is not part of the interface. */
export const unobservableKeys: readonly Unobservable[] = [
  unobservable('auth.shown-once', 'keys are created in a console, which is not part of the interface'),
  unobservable('limits.keys', 'keys are created in a console, which does not show the cap'),
]
