import { setTimeout as delay } from 'node:timers/promises'
import { ensure, type Fields, isFields, Violation } from '../expect.ts'
import { accepted } from '../http/api.ts'
import type { ApiResponse } from '../http/response.ts'
import { AudioFile, fileId, speechWav, voiceId } from './fixtures.ts'
import { shared, type Subject } from './subject.ts'

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

/** The history of a task. */
export interface TaskRun {
  /** The creation result. */
  readonly creation: Fields
  /** Every poll of the task. The last one shows its end. */
  readonly looks: readonly Fields[]
  readonly last: Fields
}

/** Requests with an asynchronous form. */
export type TaskName = Exclude<RequestName, 'stream'>

const STATES = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED']
const ENDS = new Set(['SUCCESS', 'FAILED'])
/** Longest pause between two polls, in seconds. Caps `retry_after`. */
const LONGEST_PAUSE = 5

/** Whether a task has ended (interface: Task states). */
export function hasEnded(task: Fields): boolean {
  return ENDS.has(String(task['status']))
}

/** Creates a task and polls it until it ends. */
export async function runTask(subject: Subject, name: TaskName, changes: Fields = {}): Promise<TaskRun> {
  const { fields: creation } = await accept(subject, name, { ...changes, async: true })
  return follow(subject, creation)
}

const plainTask = shared((subject, name: TaskName) => runTask(subject, name))

/** The shared task of the unchanged request. @throws Violation unless the task succeeds */
export async function finishedTask(subject: Subject, name: TaskName): Promise<TaskRun> {
  const run = await plainTask(subject, name)
  const { last } = run
  ensure(last['status'] === 'SUCCESS', `the task ended without success: ${JSON.stringify(last).slice(0, 200)}`)
  return run
}

/** Polls a task. */
export function lookAt(subject: Subject, taskId: unknown): Promise<Fields> {
  return subject.api.read(`/v1/audio/tasks/${encodeURIComponent(String(taskId))}`)
}

async function follow(subject: Subject, creation: Fields): Promise<TaskRun> {
  const looks: Fields[] = []
  const deadline = Date.now() + subject.timeout
  for (;;) {
    const last = await lookAt(subject, creation['task_id'] ?? creation['id'])
    looks.push(last)
    if (hasEnded(last)) return { creation, looks, last }
    const status = String(last['status'])
    ensure(STATES.includes(status), `the task has the status ${status}, not one of ${STATES.join(', ')}`)
    ensure(Date.now() < deadline, `the task did not end within ${subject.timeout / 1000} s: ${JSON.stringify(last)}`)
    const proposed = Number(last['retry_after'])
    await delay(1000 * Math.min(LONGEST_PAUSE, proposed > 0 ? proposed : 1))
  }
}
