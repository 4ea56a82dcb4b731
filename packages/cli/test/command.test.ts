import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '../dist/main.js')
const SAID = 'He opened the door and walked into the room with a letter in his hand.'

let folder: string
let temporary: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-'))
  temporary = join(folder, 'tmp')
  await mkdir(temporary)
  await svcAudio('speak', SAID, '--out', 'said.wav')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program in an empty folder, without a service. */
async function svcAudio(...args: readonly string[]): Promise<Result> {
  const run = promisify(execFile)(process.execPath, [MAIN, ...args], { cwd: folder, env: environment() })
  try {
    return { code: 0, ...(await run) }
  } catch (error) {
    return { code: 1, stdout: '', stderr: '', ...(error as Partial<Result>) }
  }
}

function environment(): NodeJS.ProcessEnv {
  const { SVC_AUDIO_BASE_URL: _, ...others } = process.env
  return { ...others, TMPDIR: temporary }
}

test('without a service and an account, a text becomes audio, and the audio becomes the text', async () => {
  const { code, stdout } = await svcAudio('transcribe', 'said.wav')
  expect(code).toBe(0)
  expect(wordErrorRate(SAID, stdout)).toBeLessThanOrEqual(0.2)
})

test('subtitles lie inside of the recording', async () => {
  const { stdout } = await svcAudio('transcribe', 'said.wav', '--srt')
  const times = [...stdout.matchAll(/(\d\d):(\d\d):(\d\d),(\d{3})/g)].map(
    ([, hours, minutes, seconds, ms]) =>
      Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(ms) / 1000,
  )
  expect(times.length).toBeGreaterThanOrEqual(2)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times.at(-1)).toBeLessThan(10)
})

test('a broken file, silence and a folder: each is told, and what can be done is done', async () => {
  const many = join(folder, 'many')
  await mkdir(many)
  await copyFile(join(folder, 'said.wav'), join(many, 'said.wav'))
  await writeFile(join(many, 'broken.mp3'), 'this is no audio')
  await writeFile(join(many, 'silence.wav'), silentWav(16_000))
  const { code, stderr } = await svcAudio('transcribe', 'many', '--txt', '--out', 'results')
  expect(code).toBe(1)
  expect(stderr).toContain(`${join('many', 'broken.mp3')}: `)
  expect(stderr).toContain(`${join('many', 'silence.wav')}: no speech was found`)
  expect((await readdir(join(folder, 'results'))).toSorted()).toEqual(['said.txt', 'silence.txt'])
  expect(wordErrorRate(SAID, await readFile(join(folder, 'results/said.txt'), 'utf8'))).toBeLessThanOrEqual(0.2)
})

test('Ctrl+C leaves no process and no folder, and the exit code is that of the signal', async () => {
  const child = spawn(process.execPath, [MAIN, 'speak', `${SAID} `.repeat(200), '--out', 'long.wav'], {
    cwd: folder,
    env: environment(),
    stdio: 'ignore',
  })
  while ((await readdir(temporary)).length === 0) await new Promise((resume) => setTimeout(resume, 20))
  child.kill('SIGINT')
  const [code] = await once(child, 'close')
  expect(code).toBe(130)
  await expect(readdir(temporary)).resolves.toEqual([])
  await expect(readdir(folder)).resolves.not.toContain('long.wav')
})

test.runIf(process.platform === 'linux')(
  'a result that cannot be written is told, and the exit code is 1',
  async () => {
    const script = '"$0" "$1" help > /dev/full'
    const run = promisify(execFile)('sh', ['-c', script, process.execPath, MAIN], { env: environment() })
    await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot be written: .*ENOSPC/) })
  },
)

function silentWav(samples: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples * 2, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(16_000, 24)
  head.writeUInt32LE(32_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples * 2, 40)
  return Buffer.concat([head, Buffer.alloc(samples * 2)])
}
