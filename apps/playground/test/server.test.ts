import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlayground } from '../server/start-playground.ts'
import { PANEL_IDS } from '../shared/api.ts'
import { startTestPlayground, type TestPlayground } from './support/playground.ts'

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const MAIN = fileURLToPath(new URL('../server/main.ts', import.meta.url))

describe('the API', () => {
  let playground: TestPlayground
  beforeAll(async () => {
    playground = await startTestPlayground()
  })
  afterAll(() => playground?.close())

  async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<[number, string]> {
    const response = await fetch(`${playground.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return [response.status, await response.text()]
  }

  const good = { model: 'svc-tts-1.5-flash', input: 'Good morning.', voice_id: 'rms' }
  const streamed = { ...good, stream: true, response_format: 'pcm', stream_format: 'sse' }

  test("speech is the service's own event stream, up to the last event", async () => {
    const [status, body] = await post('/api/v1/audio/speech', streamed)
    expect(status).toBe(200)
    const events = body
      .trim()
      .split('\n\n')
      .map((frame) => JSON.parse(frame.replace('data: ', '')) as { type: string })
    expect(events.map(({ type }) => type)).toContain('speech.created')
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done' })
  })

  test("a refusal is the service's own response, without the key", async () => {
    const [status, response] = await post('/api/v1/audio/speech', { ...good, voice_id: 'nobody' })
    expect(status).toBe(404)
    expect(JSON.parse(response)).toMatchObject({ error: { code: 'voice_not_found' } })
    expect(response).not.toContain(playground.apiKey)
  })

  test('the key of the page is replaced, and its cookies stay here', async () => {
    const headers = { authorization: 'Bearer wrong', cookie: 'secret=1' }
    const response = await fetch(`${playground.url}/api/v1/models`, { headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test('an upload passes, and links to results lead through the playground', async () => {
    const [, speech] = await post('/api/v1/audio/speech', { ...good, response_format: 'wav', delivery_method: 'url' })
    const { url } = JSON.parse(speech) as { url: string }
    expect(url.startsWith(`${playground.url}/api/v1/audio/results/`)).toBe(true)
    const audio = await fetch(url, { headers: { range: 'bytes=0-3' } })
    expect([audio.status, await audio.text()]).toEqual([206, 'RIFF'])
    const form = new FormData()
    form.set('model', 'svc-transcribe-1.0')
    form.set('file', await (await fetch(url)).blob(), 'speech.wav')
    const heard = await fetch(`${playground.url}/api/v1/audio/transcriptions`, { method: 'POST', body: form })
    expect(await heard.json()).toMatchObject({ text: 'Good morning.' })
  })

  const refused: [fault: string, body: object, message: RegExp][] = [
    ['no text', { voice: 'rms' }, /text is empty/],
    ['a text that is too long', { text: 'a'.repeat(301), voice: 'rms' }, /longer than 300/],
    ['no voice', { text: 'Good morning.' }, /voice/],
  ]
  test.each(refused)('an integration with %s is refused with a reason', async (_f, body, why) => {
    const [status, response] = await post('/api/integrations/express', body)
    expect(status).toBe(400)
    expect(response).toMatch(why)
  })

  test('other sites cannot use the API', async () => {
    const path = '/api/v1/audio/speech'
    expect((await post(path, good, { 'sec-fetch-site': 'cross-site' }))[0]).toBe(403)
    expect((await post(path, good, { origin: 'https://evil.example' }))[0]).toBe(403)
    expect((await post(path, good, { origin: playground.url }))[0]).toBe(200)
  })

  test.each(['/api/v1/models', '/'])('a foreign host name that points here gets nothing: %s', async (path) => {
    // fetch cannot set another host name.
    const headers = { host: 'evil.example' }
    const [response] = (await once(get(playground.url + path, { headers }), 'response')) as [IncomingMessage]
    const answer = String(Buffer.concat(await response.toArray()))
    expect([response.statusCode, answer]).toEqual([403, expect.stringContaining('foreign_host')])
  })

  test('an unknown path, an unknown integration and dropped audio are 404', async () => {
    expect((await fetch(`${playground.url}/nothing`)).status).toBe(404)
    expect((await fetch(`${playground.url}/api/audio/nothing`)).status).toBe(404)
    expect((await fetch(`${playground.url}/api/v1x`)).status).toBe(404)
    expect(await post('/api/integrations/nothing', {})).toEqual([404, expect.stringContaining('Unknown integration')])
  })

  test.each(PANEL_IDS)('/%s is the page', async (id) => {
    const response = await fetch(`${playground.url}/${id}`)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('<div id="root">')])
  })

  test('the page runs its own files only', async () => {
    const response = await fetch(playground.url)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(await response.text()).toContain('<div id="root">')
  })
})

describe('the service', () => {
  test('the service that is killed comes back on the same address, with its data, and requests wait for it', async () => {
    const playground = await startTestPlayground()
    try {
      const status = async (): Promise<unknown> => (await fetch(`${playground.url}/api/status`)).json()
      // A check has a second, which a busy machine may exceed.
      await expect.poll(status, { timeout: 30_000 }).toMatchObject({ service: 'up', embedded: true })
      const form = new FormData()
      form.set('file', new Blob(['hello']), 'note.txt')
      const path = `${playground.url}/api/v1/files`
      const stored = (await (await fetch(path, { method: 'POST', body: form })).json()) as { id: string }
      await playground.signalService('SIGKILL')
      await expect.poll(status, { timeout: 30_000 }).not.toMatchObject({ service: 'up' })
      const response = await fetch(`${path}/${stored.id}`)
      expect(await response.json()).toMatchObject({ filename: 'note.txt' })
      await expect.poll(status, { timeout: 30_000 }).toMatchObject({ service: 'up', embedded: true })
    } finally {
      await playground.close()
    }
  })

  test('the service of somebody else is used with the key of the environment, which the page never gets', async () => {
    const asked: (string | undefined)[] = []
    const other = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      response.writeHead(418, { 'content-type': 'application/json', 'set-cookie': 'a=1' })
      response.end('{"error":{"code":"teapot","message":"No coffee here"}}')
    })
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const playground = await startPlayground({ port: 0, apiKey: 'key-of-theirs', baseUrl: `${base}/audio` })
    try {
      expect(await (await fetch(`${playground.url}/api/status`)).json()).toEqual({
        service: 'up',
        embedded: false,
        address: `${base}/audio`,
      })
      const response = await fetch(`${playground.url}/api/v1/files?limit=2`)
      expect([response.status, response.headers.get('set-cookie')]).toEqual([418, null])
      expect(await response.json()).toEqual({ error: { code: 'teapot', message: 'No coffee here' } })
      expect(asked).toContain('GET /audio/v1/files?limit=2 Bearer key-of-theirs')
      other.close()
      other.closeAllConnections()
      const failed = await fetch(`${playground.url}/api/v1/models`)
      expect([failed.status, await failed.text()]).toEqual([502, expect.stringContaining('service_unreachable')])
    } finally {
      await playground.close()
      other.close()
    }
  })
})

describe('the command', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops it cleanly and leaves no files', async (signal) => {
    const child = spawn(process.execPath, [MAIN, '--port', '0'], { env: { ...process.env, TMPDIR: folder } })
    const ended = once(child, 'exit')
    let output = ''
    child.stderr.on('data', (data) => (output += String(data)))
    // Read all output: a closed pipe would fail the last write of the program.
    child.stdout.on('data', (data) => (output += String(data)))
    await expect.poll(() => output, { timeout: 60_000 }).toMatch(/address {2}\S+\n/)
    child.kill(signal)
    expect(await ended).toEqual([0, null])
    expect(output, 'the first line says what the start does').toMatch(
      /^Starting a local service and building the page: /,
    )
    expect(output).toMatch(/is ready\n {2}address {2}http:\/\/127\.0\.0\.1:\d+/)
    expect(await readdir(folder)).toEqual([])
  })

  const mistakes: [fault: string, args: string[], line: RegExp][] = [
    ['a port that is not a number', ['--port', 'many'], /--port must be a number/],
    ['an unknown option', ['--loud'], /--loud/],
  ]
  test.each(mistakes)('%s prints one line and exits with 1', async (_fault, args, line) => {
    expect(await run(args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) })
  })

  test('a port in use prints one line and exits with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const outcome = await run(['--port', String(typeof address === 'object' ? address?.port : 0)])
    other.close()
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^playground: port \d+ is in use.*\n$/),
    })
  })

  const services: [fault: string, env: Record<string, string>, line: RegExp][] = [
    ['an address of another protocol', { SVC_AUDIO_BASE_URL: 'ftp://a.example' }, /SVC_AUDIO_BASE_URL must be an http/],
    ['an address without a key', { SVC_AUDIO_BASE_URL: 'https://a.example' }, /SVC_AUDIO_API_KEY is missing/],
    [
      'an address of webhooks without TLS',
      {
        SVC_AUDIO_BASE_URL: 'https://a.example',
        SVC_AUDIO_API_KEY: 'key',
        SVC_AUDIO_WEBHOOK_URL: 'http://a.example',
      },
      /SVC_AUDIO_WEBHOOK_URL must be an https/,
    ],
  ]
  test.each(services)('%s prints one line and exits with 1', async (_fault, env, line) => {
    expect(await run([], env)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) })
  })

  test('--help lists the options', async () => {
    expect(await run(['--help'])).toEqual({ code: 0, stdout: expect.stringContaining('--port'), stderr: '' })
  })

  function run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
    return new Promise((resolve) => {
      const options = { env: { ...process.env, SVC_AUDIO_API_KEY: '', ...env } }
      execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
      })
    })
  }
})
