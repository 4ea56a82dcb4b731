import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ensure, type Fields, isFields, Violation } from '../expect.ts'
import { accepted } from '../http/api.ts'
import { shared, type Subject } from './subject.ts'

/** Sentences of the audio for transcriptions and voices: several seconds of speech. Their words differ. */
export const LINES = ['The morning train leaves at seven.', 'We will meet you at the station.'] as const
/** The sentences as one text. */
export const SAID: string = LINES.join(' ')

/** Returns the objects in a list's `data`. @throws Violation unless `data` is a list of objects */
export function dataOf(page: Fields): Fields[] {
  const { data } = page
  if (Array.isArray(data) && data.every(isFields)) return data
  throw new Violation(`data must be an array of objects: ${JSON.stringify(page).slice(0, 200)}`)
}

/** Returns the first page of voices. */
export const voicePage: (subject: Subject) => Promise<Fields> = shared((subject) =>
  subject.api.read('/v1/audio/voices'),
)

/** Returns the id of the listed voice at a position, or of the first voice. */
export async function voiceId(subject: Subject, at = 0): Promise<string> {
  const voices = dataOf(await voicePage(subject))
  const id = (voices[at] ?? voices[0])?.['id']
  ensure(typeof id === 'string', 'GET /v1/audio/voices lists no voice')
  return id
}

/** Speech as a WAV file, from the server under test. */
export const speechWav: (subject: Subject) => Promise<Uint8Array<ArrayBuffer>> = shared(async (subject) => {
  const json = { model: subject.model('tts-1.5-flash'), input: SAID, voice_id: await voiceId(subject) }
  const answer = await subject.api.send('POST', '/v1/audio/speech', { json: { ...json, response_format: 'wav' } })
  return new Uint8Array(accepted(answer).bytes)
})

/** An upload to `POST /v1/files`. */
export interface Upload {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly filename: string
  readonly purpose: string
}

/** Returns a file to upload, by default the shared speech. */
export async function newUpload(subject: Subject, changes: Partial<Upload> = {}): Promise<Upload> {
  const bytes = changes.bytes ?? (await speechWav(subject))
  return { filename: 'conformance.wav', purpose: 'audio', ...changes, bytes }
}

/** Uploads a file. The run deletes it at the end. @throws Violation when the server refuses it */
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

/** The shared file of the checks. It stays until the end. */
export const storedFile: (subject: Subject) => Promise<Fields> = shared(async (subject) =>
  upload(subject, await newUpload(subject)),
)

/** Returns the id of {@link storedFile}. */
export async function fileId(subject: Subject): Promise<string> {
  return String((await storedFile(subject))['id'])
}

/** Returns a unique marker. */
export function unique(): string {
  return `conformance-${randomUUID()}`
}

/** A named voice from the shared speech. All checks share it, because voices cannot be deleted. */
export const createdVoice: (subject: Subject) => Promise<Fields> = shared((subject) =>
  createVoice(subject, { name: 'Conformance', description: 'Made by a check' }),
)

/** Creates a voice, by default from the shared speech. @throws Violation when the server refuses it */
export async function createVoice(
  subject: Subject,
  texts: Readonly<Record<string, string>>,
  sample?: Uint8Array<ArrayBuffer>,
): Promise<Fields> {
  const form = await voiceForm(subject, texts, sample)
  return accepted(await subject.api.send('POST', '/v1/audio/voices', { form })).fields
}

/** The form of `POST /v1/audio/voices`. */
export async function voiceForm(
  subject: Subject,
  texts: Readonly<Record<string, string>>,
  sample?: Uint8Array<ArrayBuffer>,
): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(texts)) form.append(name, value)
  form.append('audio_sample', new Blob([sample ?? (await speechWav(subject))], { type: 'audio/wav' }), 'sample.wav')
  return form
}

/** All listed models. */
export const models: (subject: Subject) => Promise<Fields[]> = shared(async (subject) =>
  dataOf(await subject.api.read('/v1/models')),
)

/** A file to upload. Its JSON is its name and hash, so that checks with equal uploads share one response. */
export class AudioFile extends File {
  readonly #sha256: string

  constructor(bytes: Uint8Array, name = 'conformance.wav', type = 'audio/wav') {
    super([Uint8Array.from(bytes)], name, { type })
    this.#sha256 = createHash('sha256').update(bytes).digest('hex')
  }

  /** Identifies the content. */
  toJSON(): object {
    return { name: this.name, sha256: this.#sha256 }
  }
}

/** Words of the samples. */
export const SAMPLE_TEXT = 'Good morning. We leave at seven.'

/** A short audio file. */
interface FormatSample {
  readonly filename: string
  /** Whether the audio says {@link SAMPLE_TEXT}. */
  readonly hasWords: boolean
  readonly bytes: Uint8Array<ArrayBuffer>
}

const FOLDER = new URL('../../samples/', import.meta.url)

/** Returns the file of a format, by its lower-case name in the interface. */
export function formatSample(name: string): FormatSample {
  const filename = `speech.${name === 'alac' ? 'alac.m4a' : name}`
  return { filename, hasWords: name !== 'amr', bytes: new Uint8Array(readFileSync(new URL(filename, FOLDER))) }
}
