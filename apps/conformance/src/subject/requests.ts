import { ensure, Violation } from '../outcomes.ts'
import { accepted } from '../http/api.ts'
import { type ApiResponse, type Fields, isFields } from '../http/response.ts'
import { fileId, speechWav, voiceId } from './fixtures.ts'
import { AudioFile } from './audio-file.ts'
import { shared } from './shared.ts'
import type { Subject } from './subject.ts'

/** A request that every server must accept. Checks derive other requests from it. */
interface Base {
  readonly path: string
  /** Sent as multipart. */
  readonly form?: boolean
  readonly body: (subject: Subject) => Promise<Fields>
}

const wavFile = shared(async (subject) => new AudioFile(await speechWav(subject)))

const BASES = {
  speech: {
    path: '/v1/audio/speech',
    body: async (subject) => ({
      model: subject.model('tts-1.5-flash'),
      input: 'Good morning.',
      voice_id: await voiceId(subject),
      response_format: 'wav',
    }),
  },
  stream: {
    path: '/v1/audio/speech',
    body: async (subject) => ({
      model: subject.model('tts-1.5-flash'),
      input: 'Good morning.',
      stream: true,
      response_format: 'pcm',
      stream_format: 'sse',
    }),
  },
  dialogue: {
    path: '/v1/audio/speech/speakers',
    body: async (subject) => ({
      model: subject.model('ttsd-1.0'),
      speakers: [
        { id: 'one', voice_id: await voiceId(subject) },
        { id: 'two', voice_id: await voiceId(subject, 1) },
      ],
      segments: [
        { speaker: 'one', text: 'Good morning.' },
        { speaker: 'two', text: 'And to you.' },
      ],
      response_format: 'wav',
    }),
  },
  generation: {
    path: '/v1/audio/voice/generations',
    body: async (subject) => ({
      model: subject.model('voice-generator-1.0'),
      input: 'Good morning.',
      instruction: 'A calm old man who speaks slowly',
    }),
  },
  transcription: {
    path: '/v1/audio/transcriptions',
    form: true,
    body: async (subject) => ({ model: subject.model('transcribe-1.0'), file: await wavFile(subject) }),
  },
  diarization: {
    path: '/v1/audio/transcriptions',
    form: true,
    body: async (subject) => ({ model: subject.model('transcribe-diarize-pro'), file: await wavFile(subject) }),
  },
  storedTranscription: {
    path: '/v1/audio/transcriptions',
    body: async (subject) => ({ model: subject.model('transcribe-1.0'), file_id: await fileId(subject) }),
  },
  storedDiarization: {
    path: '/v1/audio/transcriptions',
    body: async (subject) => ({ model: subject.model('transcribe-diarize-pro'), file_id: await fileId(subject) }),
  },
} as const satisfies Readonly<Record<string, Base>>

/** Name of a request. */
export type RequestName = keyof typeof BASES

/** Returns the path of a request. */
export function pathOf(name: RequestName): string {
  return BASES[name].path
}

/** Returns the body of a request with changes. `undefined` omits a field. */
export async function bodyOf(subject: Subject, name: RequestName, changes: Fields = {}): Promise<Fields> {
  const body = { ...(await BASES[name].body(subject)), ...changes }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

/** Requests to `POST /v1/audio/transcriptions`. */
export function needsRecognizer(name: RequestName): boolean {
  return pathOf(name).endsWith('/transcriptions')
}

/** Sends a request with changes. @throws NotChecked for a transcription in quick mode */
export async function send(subject: Subject, name: RequestName, changes: Fields = {}): Promise<ApiResponse> {
  if (needsRecognizer(name)) subject.needRecognizer()
  return post(subject, name, await bodyOf(subject, name, changes))
}

/**
 * Sends a request with changes. Equal requests are sent once and share their response, except for tasks.
 * @throws Violation unless the server accepts it
 */
export async function accept(subject: Subject, name: RequestName, changes: Fields = {}): Promise<ApiResponse> {
  if (changes['async'] === true) return accepted(await send(subject, name, changes))
  if (needsRecognizer(name)) subject.needRecognizer()
  return acceptedOnce(subject, name, await bodyOf(subject, name, changes))
}

const acceptedOnce = shared(async (subject, name: RequestName, body: Fields) =>
  accepted(await post(subject, name, body)),
)

function post(subject: Subject, name: RequestName, body: Fields): Promise<ApiResponse> {
  const base: Base = BASES[name]
  return subject.api.send('POST', base.path, base.form === true ? { form: toForm(body) } : { json: body })
}

/** Returns the response to the unchanged request. @throws Violation unless the server accepts it */
export function plain(subject: Subject, name: RequestName): Promise<ApiResponse> {
  return accept(subject, name)
}

/**
 * Sends a request with changes that break a rule. The refusal counts only if the server accepts the unchanged request:
 * a server without the endpoint refuses everything.
 * @throws Violation unless the server accepts the unchanged request and refuses the changed one with an error
 */
export async function refuse(subject: Subject, name: RequestName, changes: Fields): Promise<ErrorBody> {
  await plain(subject, name)
  const told = JSON.stringify(changes, (_, value: unknown) => (value === undefined ? '(left out)' : value))
  return refused(await send(subject, name, changes), told)
}

/** The error of a refused request. */
export interface ErrorBody {
  /** The error's code, if any. */
  readonly code: string | undefined
  /** The whole body. */
  readonly text: string
}

/** @throws Violation unless the status is 4xx with a JSON error; 401 and 429 do not count */
export function refused(response: ApiResponse, why: string): ErrorBody {
  const { call, status } = response
  ensure(!response.accepted, `${call} accepted ${why.slice(0, 200)}`)
  const isRefusal = status >= 400 && status < 500 && status !== 401 && status !== 429
  ensure(isRefusal, `${call} answered ${status}, not 4xx, to ${why.slice(0, 200)}`)
  return readError(response)
}

/** Reads the error in a body: `error`, or `code` and `message` (interface: Errors). @throws Violation without an error */
export function readError(response: ApiResponse): ErrorBody {
  const { fields } = response
  const error = fields['error'] ?? fields
  const inner = isFields(error) ? error : { message: error }
  const said = ['code', 'message'].some((name) => typeof inner[name] === 'string' && inner[name] !== '')
  if (!said) throw new Violation(`${response.call} answered ${response.status} without an error: ${response.excerpt}`)
  const { code } = inner
  return { code: typeof code === 'string' ? code : undefined, text: response.text }
}

function toForm(body: Fields): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one instanceof Blob) form.append(name, one, one instanceof File ? one.name : 'conformance.wav')
      else form.append(name, String(one))
    }
  }
  return form
}
