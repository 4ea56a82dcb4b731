import { randomUUID } from 'node:crypto'
import { ensure, Violation } from '../check.ts'
import { accepted } from '../http/api.ts'
import { type Fields, isFields } from '../http/answer.ts'
import { shared } from './shared.ts'
import type { Subject } from './subject.ts'

/** What is said in the audio that is transcribed, and of which voices are made: several seconds of speech. */
export const SAID = 'The morning train leaves at seven. We will meet you at the station and have breakfast together.'

/** The objects in a list's `data`. @throws Violation when it is no list of objects */
export function dataOf(page: Fields): Fields[] {
  const { data } = page
  if (Array.isArray(data) && data.every(isFields)) return data
  throw new Violation(`data must be an array of objects: ${JSON.stringify(page).slice(0, 200)}`)
}

/** The first page of voices. */
export const voicePage: (subject: Subject) => Promise<Fields> = shared((subject) =>
  subject.api.read('/v1/audio/voices'),
)

/** The id of a listed voice: the first one, or that at another place when there is one. */
export async function voiceId(subject: Subject, at = 0): Promise<string> {
  const voices = dataOf(await voicePage(subject))
  const id = (voices[at] ?? voices[0])?.['id']
  ensure(typeof id === 'string', 'GET /v1/audio/voices gives no voice to speak with')
  return id
}

/** Speech as a WAV file, made by the server under test. */
export const speechWav: (subject: Subject) => Promise<Uint8Array<ArrayBuffer>> = shared(async (subject) => {
  const json = { model: subject.model('tts-1.5-flash'), input: SAID, voice_id: await voiceId(subject) }
  const answer = await subject.api.send('POST', '/v1/audio/speech', { json: { ...json, response_format: 'wav' } })
  return new Uint8Array(accepted(answer).bytes)
})

/** What is uploaded to `POST /v1/files`. */
export interface Upload {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly filename: string
  readonly purpose: string
}

/** A file to upload: the shared speech, unless told otherwise. */
export async function newUpload(subject: Subject, changes: Partial<Upload> = {}): Promise<Upload> {
  const bytes = changes.bytes ?? (await speechWav(subject))
  return { filename: 'conformance.wav', purpose: 'audio', ...changes, bytes }
}

/** Uploads a file, to be deleted at the end. @throws Violation when it is refused */
export async function upload(subject: Subject, file: Upload): Promise<Fields> {
  const form = new FormData()
  form.append('purpose', file.purpose)
  form.append('file', new Blob([file.bytes], { type: 'audio/wav' }), file.filename)
  const { fields } = accepted(await subject.api.send('POST', '/v1/files', { form }))
  const { id } = fields
  ensure(typeof id === 'string' && id !== '', 'POST /v1/files answers without an id')
  subject.keepInMind(id)
  return fields
}

/** The file that checks share, which stays until the end. */
export const storedFile: (subject: Subject) => Promise<Fields> = shared(async (subject) =>
  upload(subject, await newUpload(subject)),
)

/** The id of {@link storedFile}. */
export async function fileId(subject: Subject): Promise<string> {
  return String((await storedFile(subject))['id'])
}

/** A marker that nothing else on the server has. */
export function unique(): string {
  return `conformance-${randomUUID()}`
}

/** A voice made of the shared speech, under a name. Voices cannot be deleted, so there is one for all checks. */
export const createdVoice: (subject: Subject) => Promise<Fields> = shared((subject) =>
  createVoice(subject, { name: 'Conformance', description: 'Made by a check' }),
)

/** Makes a voice. @throws Violation when it is refused */
export async function createVoice(subject: Subject, texts: Readonly<Record<string, string>>): Promise<Fields> {
  const form = await voiceForm(subject, texts)
  return accepted(await subject.api.send('POST', '/v1/audio/voices', { form })).fields
}

/** The form of `POST /v1/audio/voices`. */
export async function voiceForm(subject: Subject, texts: Readonly<Record<string, string>>): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(texts)) form.append(name, value)
  form.append('audio_sample', new Blob([await speechWav(subject)], { type: 'audio/wav' }), 'sample.wav')
  return form
}

/** Every model listed. */
export const models: (subject: Subject) => Promise<Fields[]> = shared(async (subject) =>
  dataOf(await subject.api.read('/v1/models')),
)
