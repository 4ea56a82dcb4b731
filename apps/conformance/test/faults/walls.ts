import type { Passed } from '../support/fault.ts'
import { jsonResponse, parseFields } from '../support/fault-proxy.ts'
import {
  accepts,
  asks,
  DIALOGUE,
  FILE,
  FILES,
  GENERATION,
  goesTo,
  MODELS,
  NEW_FILE,
  type Planted,
  refuses,
  SPEECH,
  TASK,
  TRANSCRIPTION,
  VOICES,
} from './plant.ts'

/** The keys of the service under test. */
export const KEYS = { key: 'conformance-key-of-the-first', secondKey: 'conformance-key-of-the-second' } as const
const FIRST = `Bearer ${KEYS.key}`

/** Changes the error of a refusal. */
const error = (change: (error: Record<string, unknown>) => void) =>
  refuses(SPEECH, (response) => {
    const fields = parseFields(response.body)
    change(Object(fields['error']))
    response.body = Buffer.from(JSON.stringify(fields))
  })

const html = (response: Passed): void => {
  response.headers.set('content-type', 'text/html')
  response.body = Buffer.from('<h1>Bad Request</h1>')
}

/** Faults of errors, keys and connections. */
export const wallFaults: readonly Planted[] = [
  ['an error is a page of HTML', 'errors.json', refuses(SPEECH, html)],
  ['an error of a proxy is a page of HTML', 'errors.json', refuses(DIALOGUE, html)],
  [
    'an error is JSON with the type text/plain',
    'errors.json',
    refuses(GENERATION, ({ headers }) => headers.set('content-type', 'text/plain')),
  ],
  ['an error has no body', 'errors.json', refuses(SPEECH, (response) => void (response.body = Buffer.alloc(0)))],
  [
    'an error is an empty object',
    'errors.json',
    error((fields) => {
      for (const name of Object.keys(fields)) delete fields[name]
    }),
  ],
  ['an error has the status 200', 'errors.json', refuses(SPEECH, (response) => void (response.status = 200))],
  [
    'an error of the caller has the status 500',
    'errors.json',
    refuses(SPEECH, (response) => void (response.status = 500)),
  ],
  [
    'an error of the caller has the status 401',
    'errors.json',
    refuses(SPEECH, (response) => void (response.status = 401)),
  ],
  [
    'an error comes as an event',
    'errors.before-response',
    refuses(SPEECH, (response) => {
      Object.assign(response, { status: 200, body: Buffer.from(`data: {"type":"error","error":{"code":"no"}}\n\n`) })
      response.headers.set('content-type', 'text/event-stream; charset=utf-8')
    }),
  ],
  [
    'a missing text has the code invalid_request',
    'errors.stream-input',
    error((fields) => void (fields['code'] = 'invalid_request')),
  ],
  [
    'a wrong format does not name its field',
    'errors.stream-response-format',
    error((fields) => Object.assign(fields, { param: null, message: 'No.', code: 'unsupported_response' })),
  ],
  [
    'a model without streaming has another code',
    'errors.stream-unsupported',
    error((fields) => void (fields['code'] = 'unsupported_model')),
  ],
  [
    'a sample rate has another code',
    'errors.stream-sample-rate',
    error((fields) => void (fields['code'] = 'unsupported_field')),
  ],
  [
    'a speed has the code out_of_range',
    'errors.stream-speed',
    error((fields) => void (fields['code'] = 'out_of_range')),
  ],
  [
    'an asynchronous stream has another code',
    'errors.stream-async',
    error((fields) => void (fields['code'] = 'conflict')),
  ],
  [
    'the webhook of a stream has another code',
    'errors.stream-webhook',
    error((fields) => void (fields['code'] = 'conflict')),
  ],
  [
    'other voice sources of a stream are ignored',
    'errors.stream-others',
    asks(SPEECH, (json) => void delete json['voice_data']),
  ],
  [
    'a request without a key is accepted',
    'auth.bearer',
    { request: (request) => void (request.authorization ??= FIRST) },
  ],
  [
    'any key is accepted',
    'auth.bearer',
    {
      request: (request) => {
        if (request.authorization?.startsWith('Bearer ') === true) request.authorization = FIRST
      },
    },
  ],
  [
    'a key is compared by its beginning',
    'auth.bearer',
    {
      request: (request) => {
        if (request.authorization?.startsWith(FIRST) === true) request.authorization = FIRST
      },
    },
  ],
  [
    'the letter case of a key is ignored',
    'auth.bearer',
    {
      request: (request) => {
        if (request.authorization?.toLowerCase() === FIRST.toLowerCase()) request.authorization = FIRST
      },
    },
  ],
  [
    'tasks can be read without a key',
    'auth.bearer',
    {
      request: (request) => {
        if (goesTo(TASK, request)) request.authorization = FIRST
      },
    },
  ],
  [
    'a wrong key is refused without an error',
    'auth.bearer',
    {
      refusal: (response) => {
        if (response.status === 401) response.body = Buffer.alloc(0)
      },
    },
  ],
  [
    'a key may not list voices',
    'auth.whole-account',
    {
      instead: (request) => (goesTo(VOICES, request) ? jsonResponse(403, { error: { code: 'forbidden' } }) : undefined),
    },
  ],
  [
    'another tenant reads a file',
    'auth.file-owner',
    {
      request: (request) => {
        if (goesTo(FILE, request)) request.authorization = FIRST
      },
    },
  ],
  [
    'another tenant deletes a file',
    'auth.file-owner',
    {
      request: (request) => {
        if (request.method === 'DELETE') request.authorization = FIRST
      },
    },
  ],
  [
    'another tenant transcribes a file',
    'auth.file-owner',
    {
      request: (request) => {
        if (goesTo(TRANSCRIPTION, request)) request.authorization = FIRST
      },
    },
  ],
  [
    'another tenant lists all files',
    'auth.tenant-lists',
    {
      request: (request) => {
        if (goesTo(FILES, request)) request.authorization = FIRST
      },
    },
  ],
  [
    'another tenant lists all voices',
    'auth.tenant-lists',
    {
      request: (request) => {
        if (goesTo(VOICES, request)) request.authorization = FIRST
      },
    },
  ],
  [
    'another tenant reads a task',
    'auth.tenant-lists',
    {
      request: (request) => {
        if (goesTo(TASK, request)) request.authorization = FIRST
      },
    },
  ],
  [
    'another tenant speaks in a new voice',
    'auth.tenant-lists',
    {
      request: (request) => {
        if (goesTo(SPEECH, request)) request.authorization = FIRST
      },
    },
  ],
  [
    'a deleted key still works',
    'auth.deleted-key',
    {
      request: (request) => {
        if (request.authorization === 'Bearer conformance-key-that-was-deleted') request.authorization = FIRST
      },
    },
  ],
  [
    'the version is not part of the path',
    'versioning.v1',
    {
      request: (request) => {
        if (request.path.startsWith('/v1/files')) request.path = request.path.slice(3)
      },
    },
  ],
  [
    'an upload closes the connection',
    'file-upload.answer',
    { instead: (request) => (goesTo(NEW_FILE, request) ? 'drop' : undefined) },
  ],
  [
    'a list closes the connection',
    'model-listing.endpoint',
    { instead: (request) => (goesTo(MODELS, request) ? 'drop' : undefined) },
  ],
  [
    'a transcription has an internal error',
    'transcription.body',
    {
      instead: (request) =>
        goesTo(TRANSCRIPTION, request) ? jsonResponse(500, { error: { code: 'internal' } }) : undefined,
    },
  ],
  ['an unknown path is found', 'model-listing.no-detail', accepts('GET /v1/models/*', { error: { code: 'no' } })],
]
