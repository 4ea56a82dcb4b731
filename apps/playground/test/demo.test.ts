import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('../demo/main.ts', import.meta.url))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function demo(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, TMPDIR: folder }
    execFile(process.execPath, [MAIN, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

test('the demo speaks, transcribes and compares the default text, and leaves only the audio', async () => {
  const { code, stdout, stderr } = await demo('--out', 'audio')
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).toMatch(/first audio after \d+ ms, real-time factor \d\.\d+/)
  expect(Number(/word error rate {2}([\d.]+) %/.exec(stdout)?.[1])).toBeLessThanOrEqual(15)
  const wav = await readFile(join(folder, 'audio', 'speech.wav'))
  expect(wav.subarray(0, 4).toString()).toBe('RIFF')
  expect(wav.readUInt32LE(4)).toBe(wav.length - 8)
  expect(wav.readUInt32LE(40)).toBe(wav.length - 44)
  const samples = new Int16Array(wav.buffer, wav.byteOffset + 44, (wav.length - 44) / 2)
  expect(samples.some((sample) => Math.abs(sample) > 3000)).toBe(true)
  expect((await readFile(join(folder, 'audio', 'speech.mp3'))).length).toBeGreaterThan(10_000)
  expect(await readdir(folder)).toEqual(['audio'])
})

test('SIGINT stops the demo and removes its service and data', async () => {
  const own = await mkdtemp(join(folder, 'stopped-'))
  const env = { ...process.env, TMPDIR: own }
  const child = spawn(process.execPath, [MAIN, '--out', 'audio', '--text', 'One more time. '.repeat(400)], {
    cwd: own,
    env,
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('· Speech')) child.kill('SIGINT')
  })
  const [code] = await once(child, 'close')
  expect(stderr).toBe('demo: stopped\n')
  expect(code).toBe(130)
  expect(await readdir(own)).toEqual([])
  await rm(own, { recursive: true })
})

test('the separator -- before the options is accepted', async () => {
  const { code, stdout } = await demo('--', '--help')
  expect(code).toBe(0)
  expect(stdout).toContain('Usage:')
})

test('--text speaks a text, and --file transcribes its audio', async () => {
  const spoken = await demo('--text', 'Good morning to everyone in the house.', '--out', 'own')
  expect(spoken.code).toBe(0)
  const heard = await demo('--file', join('own', 'speech.wav'))
  expect(heard.code).toBe(0)
  expect(heard.stdout).toMatch(/heard {3}Good morning to every ?one in the house\./)
})

describe('a mistake prints one line and exits with 1', () => {
  const rows: [fault: string, args: string[], line: RegExp][] = [
    ['a missing file', ['--file', 'nothing.wav'], /nothing\.wav does not exist/],
    ['an output folder that is a file', ['--out', MAIN], /--out .* is a file: name a folder/],
    ['a text without English letters', ['--text', '你好世界'], /^demo: --text: .*English/],
    ['an empty text', ['--text', '  '], /--text is empty/],
    ['text and file together', ['--text', 'a', '--file', 'b'], /--text and --file/],
    ['an unknown option', ['--loud'], /--loud/],
    ['a file without audio', ['--file', MAIN], /main\.ts: The file is not audio/],
  ]
  test.each(rows)('%s', async (_fault, args, line) => {
    const { code, stderr } = await demo(...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(line)
    expect(stderr).not.toContain('http://')
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(existsSync(join(folder, 'svc-audio-demo'))).toBe(false)
  })

  test('a busy port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const { code, stderr } = await demo('--port', String(typeof address === 'object' ? address?.port : 0))
    other.close()
    expect(code).toBe(1)
    expect(stderr).toMatch(/port is in use/)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
