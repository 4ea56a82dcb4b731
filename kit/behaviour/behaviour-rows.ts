import { cut, early, json, SlowUpload, stall, status, uploadForm, wavFile } from '@svc-audio/testing'
import { type BehaviourApp, type BehaviourRow, nextCall, post, seen } from './behaviour-app.ts'
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
    observe: async ({ url }) => seen(await fetch(`${url}/transcribe`, { method: 'POST', body, headers })),
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
    fact: 'the app makes a response of its own from a transcript',
    observe: async (app) => (await post(app, '/answer', upload())).json(),
    expected: { text: 'hello', name: 'speech.wav' },
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
    fact: 'a response of the service without `text` is 502',
    observe: async (app) => {
      app.upstream.on('*', json({ transcript: 'hello' }))
      return seen(await post(app, '/transcribe', upload()))
    },
    expected: { status: 502, code: 'audio_service_unavailable' },
  },
  {
    fact: 'an error of an option of the app belongs to the app, and nothing reaches the service',
    observe: async (app) => {
      const before = app.upstream.requests.length
      return [(await post(app, '/quota', upload())).status, app.upstream.requests.length - before]
    },
    expected: [402, 0],
  },
]

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
    fact: 'audio that the service cuts is cut for the client',
    observe: async (app) => {
      app.upstream.on('*', cut({ afterBytes: 500 }))
      const received = await post(app, '/speak', HELLO)
        // On Bun the cut may arrive before the first bytes. The response is then an error.
        .then(async (response) => (await response.arrayBuffer(), response.ok ? 'complete' : 'cut'))
        .catch(() => 'cut')
      return received
    },
    expected: 'cut',
  },
  {
    fact: 'the audio of a finished task is served by its id, and the service gets the Range of the player',
    observe: async (app) => {
      const id = await finishedTask(app)
      const whole = await fetch(`${app.url}/play/${id}`)
      const part = await fetch(`${app.url}/play/${id}`, { headers: { range: 'bytes=0-99' } })
      await part.arrayBuffer()
      const { headers } = app.upstream.requests.at(-1) ?? {}
      return { ...(await audioOf(whole)), cached: whole.headers.get('cache-control'), asked: headers?.['range'] }
    },
    expected: { status: 200, family: 'audio', long: true, cached: 'private, no-transform', asked: 'bytes=0-99' },
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

const connections: readonly BehaviourRow[] = [
  {
    fact: 'a client that disconnects in mid-upload aborts the call',
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
  {
    fact: 'a client that disconnects in mid-speech aborts the call',
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
    fact: 'an early 401 of the service is answered before the upload has ended',
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
  ...speech,
  ...failures,
  ...connections,
  ...webhooks,
]

async function audioOf(response: Response): Promise<{ status: number; family: string | undefined; long: boolean }> {
  const family = response.headers.get('content-type')?.split('/')[0]
  return { status: response.status, family, long: (await response.arrayBuffer()).byteLength > 1000 }
}

async function finishedTask({ client }: BehaviourApp): Promise<string> {
  const task = await client.speech.createTask({ model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'rms' })
  await client.tasks.wait(task.id, { pollInterval: 1 })
  return task.id
}
