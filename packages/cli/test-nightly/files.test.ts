import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type RunningService, startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '../dist/main.js')
const SAID = 'He opened the door and walked into the room with a letter in his hand.'
const KEY = 'key-of-the-files'

/** Seconds until the sound of the video with late audio begins. */
const LATE = 5

/** Seconds until the first text of an hour must be there. */
const FIRST_TEXT_SECONDS = 5

let folder: string
let service: RunningService | undefined
const table: string[] = []

const ffmpeg = (...args: readonly string[]): Promise<unknown> =>
  promisify(execFile)('ffmpeg', ['-loglevel', 'error', '-y', ...args], { cwd: folder })

/** Files of a recording by name: the arguments of ffmpeg behind its input. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'plain.wav': ['-ar', '16000', '-ac', '1'],
  'stereo 44.1 kHz.wav': ['-ar', '44100', '-ac', '2'],
  'deep.wav': ['-c:a', 'pcm_s24le', '-ar', '48000'],
  'talk.mp3': ['-b:a', '64k'],
  'variable.mp3': ['-q:a', '6'],
  'phone.m4a': ['-c:a', 'aac'],
  'frames.aac': ['-c:a', 'aac'],
  'talk.ogg': ['-c:a', 'libvorbis'],
  'talk.opus': ['-c:a', 'libopus'],
  'talk.flac': [],
  'talk.webm': ['-c:a', 'libopus'],
  'talk.aiff': [],
  'talk.wma': ['-c:a', 'wmav2'],
  'talk.caf': ['-c:a', 'pcm_s16le'],
  'talk.mka': ['-c:a', 'flac'],
  'Gespräch — 录音.mp3': ['-b:a', '96k'],
}

/** Videos of a picture, by name: the arguments of the sound. */
const VIDEOS: Readonly<Record<string, readonly string[]>> = {
  'video.mp4': ['-i', 'said.wav', '-c:a', 'aac'],
  'video.mkv': ['-i', 'said.wav', '-c:a', 'libopus'],
  'video.mov': ['-i', 'said.wav', '-c:a', 'pcm_s16le'],
  'late.mp4': ['-itsoffset', String(LATE), '-i', 'said.wav', '-c:a', 'aac'],
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-files-'))
  await svcAudio(['speak', SAID, '--out', 'said.wav'])
  for (const [name, args] of Object.entries(KINDS)) await ffmpeg('-i', 'said.wav', ...args, name)
  const picture = ['-f', 'lavfi', '-i', 'color=size=64x64:rate=5:duration=12']
  for (const [name, sound] of Object.entries(VIDEOS)) await ffmpeg(...picture, ...sound, '-c:v', 'mpeg4', name)
  await ffmpeg(...picture, '-c:v', 'mpeg4', 'no sound.mp4')
  await ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '20', 'silence.wav')
  await ffmpeg('-stream_loop', '-1', '-i', 'said.wav', '-t', '3600', '-ar', '16000', '-b:a', '32k', 'hour.mp3')
  await writeFile(join(folder, 'broken.mp3'), 'this is no audio')
  await writeFile(join(folder, 'empty.wav'), '')
  await ffmpeg('-i', 'said.wav', 'cut.flac')
  await truncate(join(folder, 'cut.flac'), 30_000)
  await mkdir(join(folder, 'folder'))
  await ffmpeg('-i', 'said.wav', 'folder/one.mp3')
  await ffmpeg('-i', 'said.wav', 'folder/TWO.OGG')
})

afterAll(async () => {
  await service?.close()
  await rm(folder, { recursive: true, force: true })
  console.log(`\n${table.join('\n')}`)
})

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly log: string
  /** Seconds until the first text, and until the end. */
  readonly firstText: number
  readonly seconds: number
}

interface Given {
  /** File of standard input. */
  readonly input?: string
  /** Ends the program at its first text. */
  readonly untilText?: boolean
}

/** Runs the program in the folder. */
async function svcAudio(args: readonly string[], { input, untilText = false }: Given = {}): Promise<Outcome> {
  const { SVC_AUDIO_BASE_URL: _, ...others } = process.env
  const env = service === undefined ? others : { ...others, SVC_AUDIO_BASE_URL: service.url, SVC_AUDIO_API_KEY: KEY }
  const start = performance.now()
  const passed = (): number => (performance.now() - start) / 1000
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env })
  let [out, log, firstText] = ['', '', Number.NaN]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (out === '') firstText = passed()
    out += text
    if (untilText) child.kill('SIGINT')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  child.stdin.on('error', () => {})
  if (input === undefined) child.stdin.end()
  else createReadStream(join(folder, input)).pipe(child.stdin)
  const [code] = await once(child, 'close')
  return { code, out, log, firstText, seconds: passed() }
}

/** A row of the table. */
function note(name: string, { code, out, log, seconds }: Outcome): void {
  const said = (out.trim() || log.trim()).replaceAll(/\s+/g, ' ').slice(0, 70)
  const where = service === undefined ? 'alone  ' : 'service'
  table.push(`${where} ${name.padEnd(22)} exit ${code ?? '-'}  ${seconds.toFixed(1).padStart(5)} s  ${said}`)
}

/** Subtitles as a player reads them. @throws Error unless each has a number, two times and at most two short lines */
function readSrt(text: string): readonly { readonly start: number; readonly end: number; readonly text: string }[] {
  return text
    .trimEnd()
    .split('\n\n')
    .map((cue, index) => {
      const [number, times = '', ...lines] = cue.split('\n')
      const [start = Number.NaN, end = Number.NaN] = times.split(' --> ').map((time) => {
        const [, hours, minutes, seconds, ms] = /^(\d\d):(\d\d):(\d\d),(\d{3})$/.exec(time) ?? []
        return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(ms) / 1000
      })
      expect(Number(number)).toBe(index + 1)
      expect(end).toBeGreaterThan(start)
      expect(lines.length).toBeLessThanOrEqual(2)
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(42)
      return { start, end, text: lines.join(' ') }
    })
}

describe.each(['without a service', 'with a service'])('%s', (kind) => {
  beforeAll(async () => {
    if (kind === 'with a service') {
      service = await startService({ dataDir: join(folder, 'data'), port: 0, apiKeys: new Map([[KEY, 'files']]) })
    }
  })

  test.each([...Object.keys(KINDS), ...Object.keys(VIDEOS)])('%s becomes its text', async (name) => {
    const outcome = await svcAudio(['transcribe', name])
    note(name, outcome)
    expect(outcome).toMatchObject({ code: 0, log: '' })
    expect(wordErrorRate(SAID, outcome.out)).toBeLessThanOrEqual(0.2)
  })

  test('standard input becomes its text', async () => {
    const outcome = await svcAudio(['transcribe', '-'], { input: 'talk.mp3' })
    note('standard input', outcome)
    expect(outcome.code).toBe(0)
    expect(wordErrorRate(SAID, outcome.out)).toBeLessThanOrEqual(0.2)
  })

  test('a folder becomes a file for each recording', async () => {
    const outcome = await svcAudio(['transcribe', 'folder', '--srt', '--txt', '--out', `results ${kind}`])
    note('folder', outcome)
    expect(outcome.code).toBe(0)
    for (const name of ['one', 'TWO']) {
      const text = await readFile(join(folder, `results ${kind}`, `${name}.txt`), 'utf8')
      expect(wordErrorRate(SAID, text)).toBeLessThanOrEqual(0.2)
    }
  })

  test.each([
    ['silence.wav', 0, /silence\.wav: no speech was found/],
    ['broken.mp3', 1, /broken\.mp3: .*audio/i],
    ['empty.wav', 1, /empty\.wav: .*empty/i],
    ['no sound.mp4', 1, /no sound\.mp4: .*audio/i],
  ])('%s is told', async (name, code, said) => {
    const outcome = await svcAudio(['transcribe', name])
    note(name, outcome)
    expect(outcome.code).toBe(code)
    expect(outcome.log).toMatch(said)
  })

  test('a file that was cut has the text of what is there, or is told', async () => {
    const outcome = await svcAudio(['transcribe', 'cut.flac'])
    note('cut.flac', outcome)
    expect(outcome.code === 0 ? outcome.out : outcome.log).toMatch(outcome.code === 0 ? /opened/i : /cut\.flac: \S/)
  })

  test('subtitles of a video with late audio lie where it is heard', async () => {
    const outcome = await svcAudio(['transcribe', 'late.mp4', '--srt'])
    note('late.mp4 --srt', outcome)
    const cues = readSrt(outcome.out)
    expect(cues[0]?.start).toBeGreaterThan(LATE - 0.3)
    expect(cues[0]?.start).toBeLessThan(LATE + 1.5)
    expect(cues.at(-1)?.end).toBeLessThan(LATE + 8)
  })

  test('the first text of an hour is there in seconds', async () => {
    const outcome = await svcAudio(['transcribe', 'hour.mp3'], { untilText: true })
    note(`hour.mp3, text after ${outcome.firstText.toFixed(1)} s`, outcome)
    expect(outcome.firstText).toBeLessThanOrEqual(FIRST_TEXT_SECONDS)
  })
})
