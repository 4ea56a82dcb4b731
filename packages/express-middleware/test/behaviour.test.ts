import {
  createTestUpstream,
  early,
  json,
  SlowUpload,
  status,
  type TestUpstream,
  uploadForm,
  wavFile,
} from '@svc-audio/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { speak, transcribeUpload, uploadTo } from '../src/index.ts'
import { expressOf, type ExpressVersion, KEY, startApp, type TestApp } from './support/app.ts'

const BOUNDARY = 'x-boundary'
const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
const SECRET = `sekret words at http://10.0.0.5, ${KEY}`

/** A part of a form as text. */
const part = (headers: string, content = ''): string => `--${BOUNDARY}\r\n${headers}\r\n\r\n${content}\r\n`
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav'
const END = `--${BOUNDARY}--\r\n`
const WAV = wavFile(2000).toString('latin1')

type Body = NonNullable<RequestInit['body']>

interface Row {
  readonly case: string
  readonly status: number
  readonly code?: string
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

const raw = (...parts: readonly string[]): Pick<Row, 'body' | 'headers'> => ({
  body: Buffer.from(parts.join('') + END, 'latin1'),
  headers: MULTIPART,
})
const fields = (count: number): string =>
  Array.from({ length: count }, (_, index) => part(`Content-Disposition: form-data; name="f${index}"`, 'v')).join('')

/** The answers to uploads. None of them may end the app. */
const ROWS: readonly Row[] = [
  { case: 'a good file', status: 200, body: uploadForm(wavFile(2000)) },
  { case: 'a file exactly at the limit', status: 200, body: uploadForm(wavFile(99_956)) },
  { case: 'a file one byte over it', status: 413, code: 'file_too_large', body: uploadForm(wavFile(99_957)) },
  { case: 'a length that cannot fit', status: 413, code: 'file_too_large', body: uploadForm(wavFile(5_000_000)) },
  { case: 'no file', status: 400, code: 'missing_file', body: new FormData() },
  { case: 'an empty file', status: 400, code: 'empty_file', body: uploadForm(Buffer.alloc(0)) },
  { case: 'another field', status: 400, code: 'unexpected_file', body: uploadForm(wavFile(9), { field: 'photo' }) },
  { case: 'a second file', status: 400, code: 'too_many_files', ...raw(part(FILE, WAV), part(FILE, WAV)) },
  { case: 'too many fields', status: 413, code: 'too_many_fields', ...raw(fields(33), part(FILE, WAV)) },
  {
    case: 'a field too long',
    status: 413,
    code: 'field_too_large',
    ...raw(part('Content-Disposition: form-data; name="f"', 'v'.repeat(65_537)), part(FILE, WAV)),
  },
  { case: 'a PDF', status: 415, code: 'unsupported_content', body: uploadForm(Buffer.from('%PDF-1.7')) },
  {
    case: 'unknown bytes declared as something else',
    status: 415,
    code: 'unsupported_content',
    body: uploadForm(Buffer.from('????'), { type: 'text/plain' }),
  },
  {
    case: 'unknown bytes declared as audio',
    status: 200,
    body: uploadForm(Buffer.from('????'), { type: 'audio/x-new' }),
  },
  { case: 'JSON', status: 415, code: 'not_multipart', body: '{}', headers: { 'content-type': 'application/json' } },
  { case: 'an empty body', status: 400, code: 'empty_body', body: '', headers: MULTIPART },
  {
    case: 'no boundary',
    status: 400,
    code: 'missing_boundary',
    body: 'x',
    headers: { 'content-type': 'multipart/form-data' },
  },
  { case: 'a cut form', status: 400, code: 'truncated_form', body: part(FILE, 'RIFF'), headers: MULTIPART },
  { case: 'a broken header', status: 400, code: 'malformed_part', ...raw(part('no colon', 'x')) },
  {
    case: 'a compressed form',
    status: 415,
    code: 'unsupported_encoding',
    body: 'x',
    headers: { ...MULTIPART, 'content-encoding': 'gzip' },
  },
]

let upstream: TestUpstream
let app: TestApp | undefined
let logged: string[]
beforeEach(async () => {
  upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
  logged = []
  vi.spyOn(console, 'error').mockImplementation((line) => logged.push(String(line)))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await app?.close()
  app = undefined
  await upstream.close()
})

async function start(version: ExpressVersion, withErrors: boolean): Promise<TestApp> {
  app = await startApp(
    upstream.url,
    (routes, client) => {
      const options = { client, model: 'svc-transcribe-1.0', maxFileSize: 100_000 }
      routes.post('/transcribe', transcribeUpload(options), (request, response) => {
        response.json(request.transcription)
      })
      routes.post('/files', uploadTo({ call: ({ file, options: call }) => client.files.create({ file }, call) }))
      routes.all('/speak', expressOf(version).json(), speak({ client, voice_id: 'rms' }))
      routes.post('/forgot', speak({ client, voice_id: 'rms' }))
    },
    { version, audioErrors: withErrors ? {} : false },
  )
  return app
}

const cases = ([4, 5] as const).flatMap((version) => [true, false].map((withErrors) => [version, withErrors] as const))

describe.each(cases)('Express %i, audioErrors %s', (version, withErrors) => {
  test.each(ROWS)('$case is $status', async ({ status: expected, code, body, headers = {} }) => {
    const { url } = await start(version, withErrors)
    const response = await fetch(`${url}/transcribe`, { method: 'POST', body, headers })
    const text = await response.text()
    expect(response.status).toBe(expected)
    const isJson = expected === 200 || withErrors
    // Express renders its own page, which must still not show the secret.
    const answer: unknown = isJson ? JSON.parse(text) : { error: { code } }
    expect(answer).toMatchObject(expected === 200 ? { text: 'hello' } : { error: { code } })
  })

  test.each([
    [401, 502],
    [403, 502],
    [429, 429],
    [500, 502],
    [503, 502],
    [415, 415],
  ])("the service's %i is %i, and its words are on no page", async (theirs, ours) => {
    const { url } = await start(version, withErrors)
    upstream.on('*', status(theirs, { headers: { 'retry-after': '7' }, error: { code: SECRET, message: SECRET } }))
    const headers = { 'content-type': 'application/json' }
    const answers = await Promise.all([
      fetch(`${url}/transcribe`, { method: 'POST', body: uploadForm(wavFile(2000)) }),
      fetch(`${url}/files`, { method: 'POST', body: uploadForm(wavFile(2000)) }),
      fetch(`${url}/speak`, { method: 'POST', body: '{"text":"Hello"}', headers }),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(ours)
      expect(answer.headers.get('retry-after')).toBe('7')
      expect(await answer.text()).not.toMatch(/sekret|10\.0\.0/)
    }
    // One call each: no retries while a browser waits.
    expect(upstream.requests).toHaveLength(3)
    const lines = withErrors ? (app?.lines ?? []) : logged.filter((line) => line.includes('ApiError'))
    expect(lines).toHaveLength(ours >= 500 ? 3 : 0)
    for (const line of lines) {
      expect(line).toMatch(/^POST \/\w+ 502 audio_service_unavailable: ApiError.* \d{3}: sekret/)
      expect(line).not.toContain(KEY)
    }
  })

  test('a failed JSON request does not end the process', async () => {
    const { url } = await start(version, withErrors)
    upstream.on('*', status(500))
    const headers = { 'content-type': 'application/json' }
    const post = (path: string, body: string) => fetch(url + path, { method: 'POST', body, headers })
    expect((await post('/speak', '{"text":"Hello"}')).status).toBe(502)
    expect((await post('/speak', '{"input":"x"}')).status).toBe(400)
    expect((await post('/speak', '{"input":')).status).toBe(400)
    expect((await post('/forgot', '{"text":"x"}')).status).toBe(400)
    expect((await post('/transcribe', '{}')).status).toBe(415)
  })

  test('a second file behind a long first one aborts the call', async () => {
    const { url } = await start(version, withErrors)
    const upload = new SlowUpload(`${url}/files`)
    await upload.send(wavFile(300_000))
    const request = await upstream.waitForRequest()
    upload.finish({ secondFile: true })
    expect(await request.closed()).toBe('closedByClient')
    expect(request.complete).toBe(false)
    await upload.answer().then(
      (answer) => expect(answer.status).toBe(400),
      // Any answer other than JSON is the page of Express.
      (error: unknown) => expect(error).toBeInstanceOf(SyntaxError),
    )
  })

  test('an answer without `text` is a failure of the service', async () => {
    const { url } = await start(version, withErrors)
    upstream.on('*', json({ transcript: 'hello' }))
    expect((await fetch(`${url}/transcribe`, { method: 'POST', body: uploadForm(wavFile(9)) })).status).toBe(502)
  })

  test('HEAD makes no call', async () => {
    const { url } = await start(version, withErrors)
    expect((await fetch(`${url}/speak?text=Hello`, { method: 'HEAD' })).status).toBe(200)
    expect(upstream.requests).toEqual([])
  })
})

test('the error for a missing text names the way to send it, and a missing parser', async () => {
  const { url } = await start(5, true)
  const post = async (path: string, body: string): Promise<string> => {
    const response = await fetch(url + path, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    return response.text()
  }
  expect(await post('/speak', '{"input":"x"}')).toContain('Send `text`')
  expect(await post('/speak', '{"input":"x"}')).not.toContain('express.json()')
  expect(await post('/forgot', '{"text":"x"}')).toContain('add express.json() to the route')
})

test.each([4, 5] as const)('an early 401 is answered before the upload has ended, on Express %i', async (version) => {
  const { url } = await start(version, true)
  upstream.on('*', early(status(401)))
  const upload = new SlowUpload(`${url}/files`)
  await upload.send(wavFile(200_000))
  expect(await upload.answer()).toMatchObject({ status: 502 })
  upload.leave()
})
