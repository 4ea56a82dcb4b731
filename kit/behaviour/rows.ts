import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import {
  audioBytes,
  cut,
  dropConnection,
  early,
  events,
  handle,
  hold,
  json,
  type ScriptedResponse,
  SlowUpload,
  stall,
  status,
  uploadForm,
  wavFile,
} from '@svc-audio/testing'
import { type BehaviourApp, type BehaviourRow, nextCall, post, seen, seenIn } from './app.ts'
import { UPLOAD_ROWS } from './upload-rows.ts'

const HELLO = '{"text":"Hello"}'
const upload = (): FormData => uploadForm(wavFile(2000))

/** Status of the service, and the app's own with the code for an upload. */
const SERVICE_FAILURES = [
  [400, 400, 'content_refused'],
  [401, 502, 'audio_service_unavailable'],
  [403, 502, 'audio_service_unavailable'],
  [404, 502, 'audio_service_unavailable'],
  [413, 413, 'content_too_large'],
  [415, 415, 'undecodable_audio'],
  [429, 429, 'rate_limited'],
  [500, 502, 'audio_service_unavailable'],
  [503, 502, 'audio_service_unavailable'],
  [504, 504, 'audio_service_timeout'],
] as const

const uploads: readonly BehaviourRow[] = UPLOAD_ROWS.map(
  ({ case: name, status: expected, code, body, headers = {} }) => ({
    fact: `an upload of ${name} is ${expected}`,
    observe: async ({ url, upstream }) => {
      const before = upstream.requests.length
      const response = await seen(await fetch(`${url}/transcribe`, { method: 'POST', body, headers }))
      // No call stays open.
      for (const call of upstream.requests.slice(before)) await call.closed()
      return response
    },
    expected: { status: expected, ...(code === undefined ? {} : { code }) },
  }),
)

const transcripts: readonly BehaviourRow[] = [
  {
    fact: 'a transcript is JSON',
    observe: async (app) => (await post(app, '/transcribe', upload())).json(),
    expected: { text: 'hello' },
  },
  {
    fact: 'the file reaches the service unchanged, and the app answers with the transcript and the description of the upload',
    observe: async (app) => {
      const content = wavFile(300_000)
      const form = uploadForm(content, { name: 'größe.wav', type: 'application/x-other' })
      form.append('title', 'one')
      form.append('title', 'two')
      const response: unknown = await (await post(app, '/answer', form)).json()
      const { authorized, form: sent } = app.upstream.requests.at(-1) ?? {}
      const files = sent?.files.map(({ filename, contentType, bytes, sha256 }) => {
        const isSame = bytes === content.byteLength && sha256 === createHash('sha256').update(content).digest('hex')
        return { filename, contentType, isSame }
      })
      return { response, authorized, files }
    },
    expected: {
      response: {
        text: 'hello',
        upload: {
          filename: 'größe.wav',
          declaredType: 'application/x-other',
          sniffedType: 'audio/wav',
          bytes: 300_044,
          fields: { title: ['one', 'two'] },
          values: { title: ['one', 'two'] },
        },
      },
      authorized: true,
      files: [{ filename: 'größe.wav', contentType: 'audio/wav', isSame: true }],
    },
  },
  {
    fact: 'the fields of the call may depend on the fields of the form',
    observe: async (app) => {
      const form = new FormData()
      form.append('term', 'Ölkanne')
      form.append('file', new Blob([Uint8Array.from(wavFile(100))]), 'a.wav')
      const { status: seenStatus } = await post(app, '/answer', form)
      return [seenStatus, app.upstream.requests.at(-1)?.form?.fields]
    },
    expected: [
      200,
      { model: ['svc-transcribe-diarize-pro'], diarize: ['true'], keyterms: ['Ölkanne'], response_format: ['json'] },
    ],
  },
  {
    fact: 'the service gets the first bytes before the upload ends',
    needsSocket: true,
    observe: async (app) => {
      const before = app.upstream.requests.length
      const sending = new SlowUpload(`${app.url}/answer`)
      await sending.send(wavFile(100_000))
      const call = await nextCall(app, before)
      await call.received(50_000)
      const wasComplete = call.complete
      sending.finish()
      return [wasComplete, (await sending.answer()).status]
    },
    expected: [false, 200],
  },
  {
    fact: 'a response of the service before the end of the upload is used, and the rest of the upload is discarded',
    needsSocket: true,
    observe: async (app) => {
      app.upstream.on('*', early(json({ text: 'early' })))
      const sending = new SlowUpload(`${app.url}/answer`)
      await sending.send(wavFile(200_000))
      const { status: seenStatus, body } = await sending.answer()
      sending.leave()
      return [seenStatus, Reflect.get(Object(body), 'text')]
    },
    expected: [200, 'early'],
  },
  {
    fact: 'a live transcript is an event stream that ends with the whole text',
    observe: async (app) => {
      const response = await post(app, '/live', upload())
      const type = response.headers.get('content-type')?.split(';')[0]
      return [type, (await response.text()).includes('"type":"transcript.text.done"')]
    },
    expected: ['text/event-stream', true],
  },
  {
    fact: "a live transcript that fails ends with an error event without the service's words",
    observe: async (app) => {
      const failed = { type: 'error', error: { code: 'sekret', message: 'sekret' } }
      app.upstream.on('*', events([TASK_CREATED, { type: 'transcript.text.delta', delta: 'hel' }, failed]))
      const text = await (await post(app, '/live', upload())).text()
      return [text.includes('error'), text.includes('sekret')]
    },
    expected: [true, false],
  },
  {
    fact: 'a transcription task is 202',
    observe: async (app) => (await post(app, '/task', upload())).status,
    expected: 202,
  },
  {
    fact: 'an upload streams into any call',
    observe: async (app) => {
      const file: unknown = await (await post(app, '/files', upload())).json()
      return ['object', 'bytes'].map((name) => Reflect.get(Object(file), name))
    },
    expected: ['file', 2044],
  },
  {
    fact: 'an error of an option of the app belongs to the app, and nothing reaches the service',
    observe: async (app) => {
      const before = app.upstream.requests.length
      return [(await post(app, '/quota', upload())).status, app.upstream.requests.length - before]
    },
    expected: [402, 0],
  },
  {
    fact: 'an upload that a guard of the app refuses gets the response of the guard, and nothing reaches the service',
    observe: async (app) => {
      const before = app.upstream.requests.length
      const responses = [upload(), uploadForm(wavFile(5_000_000))].map(async (form) => post(app, '/guarded', form))
      return [(await Promise.all(responses)).map((one) => one.status), app.upstream.requests.length - before]
    },
    expected: [[401, 401], 0],
  },
]

/** A response of the service that no app passes on, and the app's own. */
const UNUSABLE: readonly (readonly [what: string, response: ScriptedResponse, status: number, code: string])[] = [
  ['a response of the service without `text`', json({ transcript: 'hello' }), 502, 'audio_service_unavailable'],
  ['a response of the service that is not JSON', { body: 'sekret' }, 502, 'audio_service_unavailable'],
  ['a connection that the service drops', dropConnection({ early: true }), 502, 'audio_service_unavailable'],
  [
    "the service's 400 for a field of the app",
    status(400, { error: { param: 'keyterms' } }),
    502,
    'audio_service_unavailable',
  ],
]

const unusable: readonly BehaviourRow[] = UNUSABLE.map(([what, response, expected, code]) => ({
  fact: `${what} is ${expected}`,
  observe: async (app) => {
    app.upstream.on('*', response)
    return seen(await post(app, '/transcribe', upload()))
  },
  expected: { status: expected, code },
}))

const speech: readonly BehaviourRow[] = [
  {
    fact: 'speech is audio for a JSON body and for a query',
    observe: async (app) => {
      const responses = [await post(app, '/speak', HELLO), await fetch(`${app.url}/speak?text=Hello`)]
      return Promise.all(responses.map((response) => audioOf(response)))
    },
    expected: [
      { status: 200, family: 'audio', long: true },
      { status: 200, family: 'audio', long: true },
    ],
  },
  {
    fact: 'speech has headers against buffering, and against rendering as a page',
    observe: async ({ url }) => {
      const response = await fetch(`${url}/speak?text=Hello`)
      await response.arrayBuffer()
      return ['cache-control', 'x-accel-buffering', 'x-content-type-options'].map((name) => response.headers.get(name))
    },
    expected: ['no-store, no-transform', 'no', 'nosniff'],
  },
  {
    fact: 'speech is sent while the service still synthesizes it',
    needsSocket: true,
    observe: async ({ url, upstream }) => {
      const rest = stall({ afterBytes: 5 }, unsized('first', 'last'))
      upstream.on('*', rest)
      const reader = (await fetch(`${url}/speak?text=Hello`)).body?.getReader()
      const first = Buffer.from((await reader?.read())?.value ?? []).toString()
      rest.release()
      return [first, Buffer.from((await reader?.read())?.value ?? []).toString(), (await reader?.read())?.done]
    },
    expected: ['first', 'last', true],
  },
  {
    fact: 'PCM names its format in headers',
    observe: async (app) => {
      const response = await post(app, '/pcm', HELLO)
      const names = ['x-sample-rate', 'x-channels', 'x-bit-depth']
      const named = names.every((name) => response.headers.has(name))
      return { ...(await audioOf(response)), type: response.headers.get('content-type'), named }
    },
    expected: { status: 200, family: 'audio', long: true, type: 'audio/pcm', named: true },
  },
  {
    fact: 'speech events end with the last event of the service',
    observe: async (app) => (await (await post(app, '/events', HELLO)).text()).includes('"type":"speech.audio.done"'),
    expected: true,
  },
  {
    fact: 'a missing text is 400, whatever else the body has',
    observe: async (app) => [
      await seen(await post(app, '/speak', '{}')),
      await seen(await post(app, '/speak', '{"input":"x"}')),
    ],
    expected: [
      { status: 400, code: 'missing_text' },
      { status: 400, code: 'missing_text' },
    ],
  },
  {
    fact: 'a body that is not JSON is 400',
    observe: async (app) => (await post(app, '/speak', '{"input":')).status,
    expected: 400,
  },
  {
    fact: 'HEAD makes no call',
    observe: async ({ url, upstream }) => {
      const before = upstream.requests.length
      const response = await fetch(`${url}/speak?text=Hello`, { method: 'HEAD' })
      return [response.status, upstream.requests.length - before]
    },
    expected: [200, 0],
  },
  {
    fact: 'audio that the service cuts before its first byte is 502',
    observe: async (app) => {
      app.upstream.on('*', cut())
      return (await post(app, '/speak', HELLO)).status
    },
    expected: 502,
  },
  ...['text/html', 'image/svg+xml', 'text/javascript', 'audio/wav, text/html'].map((type) => ({
    fact: `${type} in the place of audio is 502, and no page reaches the client`,
    observe: async (app: BehaviourApp) => {
      app.upstream.on('*', audioBytes(Buffer.from('<svg><script>alert(1)</script></svg>'), type))
      const response = await post(app, '/speak', HELLO)
      return [response.status, (await response.text()).includes('script')]
    },
    expected: [502, false],
  })),
  {
    fact: 'incomplete PCM is cut for the client',
    observe: async (app) => {
      app.upstream.on('*', events([SPEECH_CREATED, { type: 'speech.audio.delta', audio: 'AAECAw==' }]))
      return received(post(app, '/pcm', HELLO))
    },
    expected: 'cut',
  },
  {
    fact: 'audio that the service cuts is cut for the client',
    observe: async (app) => {
      app.upstream.on('*', cut({ afterBytes: 500 }))
      return received(post(app, '/speak', HELLO))
    },
    expected: 'cut',
  },
  {
    fact: 'a player gets the audio of a finished task, each part of it, and its head',
    observe: async (app) => {
      const id = await finishedTask(app)
      const task: unknown = await app.client.tasks.retrieve(id)
      app.upstream.on('*', playing(task))
      const play = async (range?: string, method = 'GET') => {
        const headers: Record<string, string> = range === undefined ? {} : { range }
        const response = await fetch(`${app.url}/play/${id}`, { method, headers })
        if (!response.ok) return [response.status, (await seen(response)).code]
        const named = PLAYER_HEADERS.map((name) => response.headers.get(name))
        return [response.status, ...named, await response.text()]
      }
      return [await play(), await play('bytes=2-5'), await play('bytes=99-'), await play(undefined, 'HEAD')]
    },
    expected: [
      [200, 'audio/wav', 'private, no-transform', 'bytes', null, '0123456789'],
      [206, 'audio/wav', 'private, no-transform', 'bytes', 'bytes 2-5/10', '2345'],
      [416, 'range_not_satisfiable'],
      [200, 'audio/wav', 'private, no-transform', 'bytes', null, ''],
    ],
  },
  {
    fact: 'the audio of an unfinished task is 409, with a time to come again',
    observe: async (app) => {
      app.upstream.on('*', json({ id: 't', object: 'audio.speech', status: 'PROCESSING', retry_after: 3 }))
      const response = await fetch(`${app.url}/play/t`)
      return [response.headers.get('retry-after'), await seen(response)]
    },
    expected: ['3', { status: 409, code: 'audio_not_ready' }],
  },
  {
    fact: 'the audio of an unknown task is 404',
    observe: async ({ url }) => seen(await fetch(`${url}/play/none`)),
    expected: { status: 404, code: 'audio_not_found' },
  },
]

const failures: readonly BehaviourRow[] = SERVICE_FAILURES.map(([theirs, ours, code]) => ({
  fact: `the service's ${theirs} is ${ours} ${code}, after one call, with its Retry-After and without its words`,
  observe: async (app) => {
    const before = app.upstream.requests.length
    const error = { code: 'sekret', message: `sekret words at http://10.0.0.5, ${app.upstream.apiKey}` }
    app.upstream.on('*', status(theirs, { headers: { 'retry-after': '7', 'x-request-id': 'sekret' }, error }))
    const responses = [
      await post(app, '/transcribe', upload()),
      await post(app, '/files', upload()),
      await post(app, '/speak', HELLO),
    ]
    const seenResponses = responses.map(async (response) => {
      const text = await response.text()
      const isSafe =
        !/sekret|10\.0\.0/.test(text + JSON.stringify([...response.headers])) && !text.includes(app.upstream.apiKey)
      return [response.status, response.headers.get('retry-after'), isSafe]
    })
    const { code: seenCode } = await seen(await post(app, '/transcribe', upload()))
    return { responses: await Promise.all(seenResponses), code: seenCode, calls: app.upstream.requests.length - before }
  },
  expected: {
    code,
    responses: [
      [ours, '7', true],
      [ours, '7', true],
      [ours, '7', true],
    ],
    calls: 4,
  },
}))

const slowness: readonly BehaviourRow[] = [
  {
    fact: 'a service without a response in time is 504, and the call is aborted',
    observe: async (app) => {
      const before = app.upstream.requests.length
      app.upstream.on('*', hold())
      const response = await seen(await post(app, '/quick', upload()))
      return [response, await (await nextCall(app, before)).closed()]
    },
    expected: [{ status: 504, code: 'audio_service_timeout' }, 'closedByClient'],
  },
  {
    fact: 'a client that stops sending is 408',
    needsSocket: true,
    observe: async (app) => {
      const sending = new SlowUpload(`${app.url}/quick`)
      await sending.send(wavFile(100_000))
      const { status: seenStatus, body } = await sending.answer()
      sending.leave()
      return seenIn(seenStatus, body)
    },
    expected: { status: 408, code: 'upload_timeout' },
  },
]

const connections: readonly BehaviourRow[] = [
  {
    fact: 'a client that disconnects in mid-upload aborts the call',
    needsSocket: true,
    observe: async (app) => {
      const before = app.upstream.requests.length
      const sending = new SlowUpload(`${app.url}/files`)
      await sending.send(wavFile(200_000))
      const call = await nextCall(app, before)
      await call.received(100_000)
      sending.leave()
      return [await call.closed(), call.complete]
    },
    expected: ['closedByClient', false],
  },
  ...(['/files', '/live'] as const).map((path) => ({
    fact: `a client that disconnects while the service works for ${path} aborts the call`,
    needsSocket: true,
    observe: async (app: BehaviourApp) => {
      const before = app.upstream.requests.length
      app.upstream.on('*', hold())
      const controller = new AbortController()
      const { signal } = controller
      const response = fetch(app.url + path, { method: 'POST', body: upload(), signal }).catch(() => 'disconnected')
      const call = await nextCall(app, before)
      await call.received()
      controller.abort()
      await response
      return call.closed()
    },
    expected: 'closedByClient',
  })),
  {
    fact: 'a client that disconnects before the first audio aborts the call',
    needsSocket: true,
    observe: async (app) => {
      const before = app.upstream.requests.length
      app.upstream.on('*', hold())
      const controller = new AbortController()
      const { signal } = controller
      const response = fetch(`${app.url}/speak?text=Hello`, { signal }).catch(() => 'disconnected')
      const call = await nextCall(app, before)
      controller.abort()
      await response
      return call.closed()
    },
    expected: 'closedByClient',
  },
  {
    fact: 'a client that disconnects in mid-speech aborts the call',
    needsSocket: true,
    observe: async (app) => {
      const before = app.upstream.requests.length
      app.upstream.on('*', stall({ afterBytes: 100 }))
      const controller = new AbortController()
      const response = await fetch(`${app.url}/speak?text=Hello`, { signal: controller.signal })
      controller.abort()
      await response.arrayBuffer().catch(() => {})
      return (await nextCall(app, before)).closed()
    },
    expected: 'closedByClient',
  },
  {
    fact: 'a second file behind a long first one aborts the call, and is 400',
    needsSocket: true,
    observe: async (app) => {
      const before = app.upstream.requests.length
      const sending = new SlowUpload(`${app.url}/files`)
      await sending.send(wavFile(300_000))
      const call = await nextCall(app, before)
      sending.finish({ secondFile: true })
      const ended = await call.closed()
      return [ended, call.complete, (await sending.answer()).status]
    },
    expected: ['closedByClient', false, 400],
  },
  {
    fact: 'a file that exceeds the limit while it arrives aborts the call, and is 413',
    needsSocket: true,
    observe: async (app) => {
      const before = app.upstream.requests.length
      const sending = new SlowUpload(`${app.url}/transcribe`)
      await sending.send(wavFile(90_000))
      const call = await nextCall(app, before)
      await call.received(50_000)
      await sending.send(Buffer.alloc(20_000))
      const ended = await call.closed()
      sending.finish()
      const { status: seenStatus, body } = await sending.answer()
      return [ended, call.complete, seenIn(seenStatus, body)]
    },
    expected: ['closedByClient', false, { status: 413, code: 'file_too_large' }],
  },
  {
    fact: 'a connection of the service that breaks during the upload is 502',
    needsSocket: true,
    observe: async (app) => {
      const before = app.upstream.requests.length
      const sending = new SlowUpload(`${app.url}/files`)
      await sending.send(wavFile(200_000))
      const call = await nextCall(app, before)
      await call.received(100_000)
      call.cut()
      await call.closed()
      sending.finish()
      const { status: seenStatus, body } = await sending.answer()
      return seenIn(seenStatus, body)
    },
    expected: { status: 502, code: 'audio_service_unavailable' },
  },
  {
    fact: 'an early 401 of the service is answered before the upload has ended',
    needsSocket: true,
    observe: async (app) => {
      app.upstream.on('*', early(status(401)))
      const sending = new SlowUpload(`${app.url}/files`)
      await sending.send(wavFile(200_000))
      const { status: seenStatus } = await sending.answer()
      sending.leave()
      return seenStatus
    },
    expected: 502,
  },
]

const webhooks: readonly BehaviourRow[] = [
  {
    fact: 'a webhook reaches its receiver once, and one with a wrong token is 401',
    observe: async (app) => {
      const wrong = await post(app, '/hooks?token=wrong', '{}')
      const { search } = new URL(await app.callback())
      const id = await finishedTask(app)
      const right = await post(app, `/hooks${search}`, JSON.stringify({ task_id: id }))
      const handled = await app.handled()
      return [wrong.status, right.status, handled.filter((one) => one === id).length]
    },
    expected: [401, 200, 1],
  },
]

/** The behaviour of an app in every framework. A difference of a framework is stated in its test and in the docs. */
export const BEHAVIOUR_ROWS: readonly BehaviourRow[] = [
  ...uploads,
  ...transcripts,
  ...unusable,
  ...speech,
  ...failures,
  ...slowness,
  ...connections,
  ...webhooks,
]

/** The row of a framework on Node's own server. The app discards the bodies that its guards leave unread. */
export const GUARD_ROW: BehaviourRow = {
  fact: 'the further bytes of an upload that a guard has refused meet no reset, which would overtake the response',
  needsSocket: true,
  observe: async ({ url }) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const resets: unknown[] = []
    socket.on('error', (error) => resets.push(Reflect.get(error, 'code')))
    const head = ['POST /guarded HTTP/1.1', 'Host: a', 'Connection: close', 'Content-Length: 100000000']
    socket.write([...head, 'Content-Type: multipart/form-data; boundary=x', '', '--x'].join('\r\n'))
    const [response] = await once(socket, 'data')
    for (let sent = 0; sent < 8 && resets.length === 0; sent += 1) {
      // A reset needs a moment.
      await setTimeout(20)
      socket.write(Buffer.alloc(1024 * 1024))
    }
    socket.destroy()
    return [String(response).split(' ')[1], resets]
  },
  expected: ['401', []],
}

/** The rows for an app without a socket, which gets and sends whole bodies. */
export const ROWS_WITHOUT_SOCKET: readonly BehaviourRow[] = BEHAVIOUR_ROWS.filter((row) => row.needsSocket !== true)

async function audioOf(response: Response): Promise<{ status: number; family: string | undefined; long: boolean }> {
  const family = response.headers.get('content-type')?.split('/')[0]
  return { status: response.status, family, long: (await response.arrayBuffer()).byteLength > 1000 }
}

async function finishedTask({ client }: BehaviourApp): Promise<string> {
  const task = await client.speech.createTask({ model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'rms' })
  await client.tasks.wait(task.id, { pollInterval: 1 })
  return task.id
}

const TASK_CREATED = {
  type: 'task.created',
  task_id: 't1',
  object: 'audio.transcription',
  status: 'PROCESSING',
  model: 'svc-transcribe-diarize-pro',
}
const SPEECH_CREATED = { type: 'speech.created', format: 'pcm', sample_rate: 24_000, channels: 1, bit_depth: 16 }

/** Speech without a length. */
function unsized(...pieces: readonly string[]): ScriptedResponse {
  return { headers: { 'content-type': 'audio/wav' }, body: pieces.map((piece) => Buffer.from(piece)) }
}

/** Whether a response is complete. On Bun a cut may arrive before the first bytes: the response is then an error. */
async function received(response: Promise<Response>): Promise<'complete' | 'cut'> {
  try {
    const { ok } = await response.then(async (one) => (await one.arrayBuffer(), one))
    return ok ? 'complete' : 'cut'
  } catch {
    return 'cut'
  }
}

const PLAYER_HEADERS = ['content-type', 'cache-control', 'accept-ranges', 'content-range']

/** A service with a task whose audio is `0123456789`. */
function playing(task: unknown): ScriptedResponse {
  const audio = Buffer.from('0123456789')
  const headers = { 'content-type': 'audio/wav', 'accept-ranges': 'bytes' }
  return handle((response, { path, headers: { range } }) => {
    if (path.includes('/tasks/')) response.setHeader('content-type', 'application/json').end(JSON.stringify(task))
    else if (range === undefined) response.writeHead(200, { ...headers, 'content-length': 10 }).end(audio)
    else if (range === 'bytes=99-') response.writeHead(416).end()
    else {
      const part = { ...headers, 'content-range': 'bytes 2-5/10', 'content-length': 4 }
      response.writeHead(206, part).end(audio.subarray(2, 6))
    }
  })
}
