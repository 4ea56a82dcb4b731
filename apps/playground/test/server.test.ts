import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlayground, type TestPlayground } from './support/playground.ts'

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

  const good = { text: 'Good morning.', voice: 'rms' }

  test("speech is the interface's events, up to the last one", async () => {
    const [status, body] = await post('/api/speech', { ...good, speed: 2 })
    expect(status).toBe(200)
    const events = body
      .trim()
      .split('\n\n')
      .map((frame) => JSON.parse(frame.replace('data: ', '')) as { type: string })
    expect(events.map(({ type }) => type)).toContain('speech.created')
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done' })
  })

  const refused: [fault: string, body: object, message: RegExp][] = [
    ['no text', { voice: 'rms' }, /text is empty/],
    ['a text that is too long', { ...good, text: 'a'.repeat(5001) }, /longer than 5000/],
    ['no voice', { text: 'Good morning.' }, /voice/],
    ['a speed out of range', { ...good, speed: 9 }, /speed/],
    ['a speed that is not a number', { ...good, speed: 'fast' }, /speed/],
  ]
  test.each(refused)('%s is refused with a reason', async (_fault, body, message) => {
    const [status, answer] = await post('/api/speech', body)
    expect(status).toBe(400)
    expect(answer).toMatch(message)
  })

  test("a refusal of the service is answered without the service's message and without the key", async () => {
    const [status, answer] = await post('/api/speech', { ...good, voice: 'nobody' })
    expect(status).toBe(502)
    expect(answer).not.toContain('nobody')
    expect(answer).not.toContain(playground.apiKey)
  })

  test('other sites cannot use the API', async () => {
    const [status] = await post('/api/speech', good, { 'sec-fetch-site': 'cross-site' })
    expect(status).toBe(403)
  })

  test('a foreign host name that points here cannot use the API', async () => {
    // fetch cannot set another host name.
    const headers = { host: 'evil.example' }
    const [response] = (await once(get(`${playground.url}/api/voices`, { headers }), 'response')) as [IncomingMessage]
    const answer = String(Buffer.concat(await response.toArray()))
    expect(answer).toContain('foreign_origin')
  })

  test('an unknown path, an unknown integration and dropped audio are 404', async () => {
    expect((await fetch(`${playground.url}/nothing`)).status).toBe(404)
    expect((await fetch(`${playground.url}/api/audio/nothing`)).status).toBe(404)
    expect(await post('/api/integrations/nothing', good)).toEqual([404, expect.stringContaining('Unknown integration')])
  })

  test('the page runs its own files only', async () => {
    const response = await fetch(playground.url)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(await response.text()).toContain('<div id="root">')
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

  test('--help lists the options', async () => {
    expect(await run(['--help'])).toEqual({ code: 0, stdout: expect.stringContaining('--port'), stderr: '' })
  })

  function run(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
      })
    })
  }
})
