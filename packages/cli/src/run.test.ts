import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { AudioClient } from '@svc-audio/core'
import { createTestUpstream, status, type TestUpstream } from '@svc-audio/testing'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { COMMANDS, completionScript, SHELLS } from './commands.ts'
import { run } from './run.ts'
import { drained } from './terminal.ts'

let folder: string

/** What the scripted service hears. */
const HEARD = 'Good morning. Welcome back.'

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
})

class Sink extends Writable {
  text = ''
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

interface Outcome {
  readonly code: number | undefined
  readonly error: string
  readonly out: string
  readonly log: string
  readonly opened: number
}

/** Runs a command line beside a scripted service. */
async function execute(
  args: readonly string[],
  given: { readonly upstream?: TestUpstream; readonly stdin?: string | Readable; readonly path?: string } = {},
): Promise<Outcome> {
  const upstream = given.upstream ?? (await createTestUpstream())
  const { stdin = '' } = given
  const stdout = new Sink()
  const stderr = new Sink()
  let opened = 0
  try {
    const code = await run(args, {
      env: { PATH: given.path ?? '', SVC_AUDIO_BASE_URL: upstream.url },
      open: async () => {
        opened += 1
        const client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url, maxRetries: 0 })
        return { client, [Symbol.asyncDispose]: () => client.close() }
      },
      terminal: { stdout, stderr, stdin: typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin },
      signal: new AbortController().signal,
    })
    return { code, error: '', out: stdout.text, log: stderr.text, opened }
  } catch (error) {
    return { code: undefined, error: String(error), out: stdout.text, log: stderr.text, opened }
  } finally {
    if (given.upstream === undefined) await upstream.close()
  }
}

async function recording(name: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, 'RIFF audio')
  return path
}

describe('a wrong command line is told before anything is opened', () => {
  test.each<[readonly string[], string]>([
    [['trascribe', 'a.wav'], 'Unknown command trascribe; did you mean transcribe?'],
    [['dance'], 'Unknown command dance: use transcribe, speak, voices, models, completion'],
    [['transcribe', '--spekers', 'a.wav'], 'Unknown option --spekers; did you mean --speakers?'],
    [['transcribe'], 'Name a recording, e.g. svc-audio transcribe talk.mp4'],
    [['transcribe', 'nothing.wav'], 'nothing.wav does not exist'],
    [['transcribe', 'nothing/*.wav'], 'No file matches nothing/*.wav'],
    [['transcribe', '--mic', 'a.wav'], '--mic records: leave out the files'],
    [['speak'], 'Give a text or a file, e.g. svc-audio speak README.md'],
    [['speak', 'nothing.md', '--out', 'a.wav'], 'nothing.md does not exist'],
    [['speak', 'Hello', '--out', 'a.txt'], '--out a.txt must end with one of .aac, .flac, .mp3, .opus, .wav'],
    [['speak', 'Hello', '--out', 'nowhere/a.wav'], '--out nowhere/a.wav: the folder nowhere does not exist'],
    [['speak', 'Hello', '--out', 'a.wav', '--out', 'b.wav'], '--out is given twice'],
    [['speak', 'Hello', '--voice'], '--voice needs a value, as --voice=…'],
    [['speak', ' ', '--out', 'a.wav'], 'The text has nothing to speak'],
    [['speak', 'Hello'], 'No program that plays: install one of mpv, ffplay, play, aplay, or write a file with --out'],
    [['voices', 'joe'], 'voices takes no joe'],
    [['completion', 'tcsh'], 'Name a shell: bash, zsh, fish'],
    [['completion', 'bash', 'zsh'], 'Name a shell: bash, zsh, fish'],
    [['transcribe', 'a.wav', '--keyterm='], '--keyterm has no value'],
  ])('%j', async (args, message) => {
    const { error, opened } = await execute(args)
    expect(error).toContain(message)
    expect(opened).toBe(0)
  })

  test('a folder without recordings', async () => {
    await writeFile(join(folder, 'notes.txt'), '')
    expect((await execute(['transcribe', folder])).error).toContain(`${folder} has no recordings`)
  })

  test('several results without a folder for them', async () => {
    const { error, opened } = await execute(['transcribe', await recording('a.wav'), '--srt', '--vtt'])
    expect(error).toContain('These are 2 results, and standard output takes one: add --out DIR')
    expect(opened).toBe(0)
  })

  test('a result that exists, which --force replaces', async () => {
    const args = ['transcribe', await recording('a.wav'), '--txt', '--out', folder]
    await writeFile(join(folder, 'a.txt'), 'mended by hand')
    const { error, opened } = await execute(args)
    expect(error).toContain(`${join(folder, 'a.txt')} exists: add --force to replace it`)
    expect(opened).toBe(0)
    expect((await execute([...args, '--force'])).code).toBe(0)
    await expect(readFile(join(folder, 'a.txt'), 'utf8')).resolves.not.toContain('by hand')
  })
})

test('the text of one recording goes to standard output', async () => {
  const { code, out } = await execute(['transcribe', await recording('a.wav')])
  expect(out).toBe(`${HEARD}\n`)
  expect(code).toBe(0)
})

test('standard input is a recording, and a text', async () => {
  await expect(execute(['transcribe', '-'], { stdin: 'RIFF audio' })).resolves.toMatchObject({
    out: `${HEARD}\n`,
    log: '',
  })
  await using upstream = await createTestUpstream()
  await execute(['speak', '-', '--out', join(folder, 'a.wav')], { stdin: 'Good morning.', upstream })
  expect(upstream.requests.find(({ method }) => method === 'POST')?.json).toMatchObject({ input: 'Good morning.' })
})

test('a folder and a pattern stand for their recordings, each once, in order', async () => {
  for (const name of ['b.mp3', 'a.MP4', 'notes.txt']) await recording(name)
  const { out } = await execute(['transcribe', folder, join(folder, '*.mp3')])
  expect(out).toBe(`== ${join(folder, 'a.MP4')}\n${HEARD}\n== ${join(folder, 'b.mp3')}\n${HEARD}\n`)
})

test('one transcription of a recording makes all its formats', async () => {
  await using upstream = await createTestUpstream()
  const results = join(folder, 'results')
  const formats = ['--txt', '--srt', '--vtt', '--json', '--md']
  const { code } = await execute(['transcribe', await recording('a.wav'), ...formats, '--out', results], { upstream })
  expect(code).toBe(0)
  expect((await readdir(results)).toSorted()).toEqual(['a.json', 'a.md', 'a.srt', 'a.txt', 'a.vtt'])
  expect(upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  await expect(readFile(join(results, 'a.srt'), 'utf8')).resolves.toMatch(/^1\n\d\d:\d\d:\d\d,\d{3} --> /)
})

test('recordings of one name keep their extension', async () => {
  const paths = [await recording('a.wav'), await recording('a.mp3')]
  await execute(['transcribe', ...paths, '--txt', '--out', join(folder, 'results')])
  expect((await readdir(join(folder, 'results'))).toSorted()).toEqual(['a.mp3.txt', 'a.wav.txt'])
})

test('a recording that fails is told in the words of the service, the others continue, and the exit code is 1', async () => {
  await using upstream = await createTestUpstream()
  upstream.next('POST /v1/audio/transcriptions', status(415, { error: { code: 'unsupported', message: 'No audio.' } }))
  const paths = [await recording('a.wav'), await recording('b.wav')]
  const { code, out, log } = await execute(['transcribe', ...paths], { upstream })
  expect(log).toContain(`${paths[0]}: No audio.`)
  expect(out).toContain(HEARD)
  expect(code).toBe(1)
})

test('a Markdown file is spoken without its marks, by the voice that is named', async () => {
  const path = join(folder, 'post.md')
  await writeFile(path, '# Title\n\nSee [the *docs*](https://example.com).\n')
  await using upstream = await createTestUpstream()
  await execute(['speak', path, '--voice', 'slt', '--out', join(folder, 'a.wav')], { upstream })
  const inputs = upstream.requests.map(({ json }) => json)
  expect(JSON.stringify(inputs)).toContain('See the docs.')
  expect(JSON.stringify(inputs)).not.toContain('https://')
  expect(inputs).toContainEqual(expect.objectContaining({ voice_id: 'slt' }))
})

/** Puts a program into a folder of its own. @returns the folder, as `PATH` */
async function program(name: string, script: string): Promise<string> {
  const path = join(folder, 'bin')
  await mkdir(path, { recursive: true })
  await writeFile(join(path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return path
}

test.runIf(process.platform === 'linux')(
  'the microphone is recorded until Enter, or until its input ends',
  async () => {
    const script = 'for file in "$@"; do :; done\ntrap "exit 1" INT\nprintf "%064d" 0 > "$file"\n: > "${0%/*}/records"'
    const path = await program('pw-record', `${script}\nwhile :; do :; done`)
    for (const end of [(stdin: PassThrough) => stdin.write('\n'), (stdin: PassThrough) => stdin.end()]) {
      await rm(join(path, 'records'), { force: true })
      const stdin = new PassThrough()
      const done = execute(['transcribe', '--mic'], { path, stdin })
      await expect.poll(() => existsSync(join(path, 'records')), { timeout: 60_000 }).toBe(true)
      end(stdin)
      await expect(done).resolves.toMatchObject({ code: 0, error: '', out: `${HEARD}\n` })
    }
  },
)

test('a stream that is full is waited for without listeners that stay', async () => {
  const stream = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void setImmediate(done) })
  for (let piece = 0; piece < 20; piece += 1) if (!stream.write('audio')) await drained(stream)
  expect(stream.listenerCount('drain') + stream.listenerCount('close')).toBe(0)
  const closed = drained(stream)
  stream.destroy()
  await closed
})

test('an audio file that exists is not replaced', async () => {
  const path = await recording('a.mp3')
  expect((await execute(['speak', 'Hello', '--out', path])).error).toContain('exists: add --force to replace it')
})

test('lists are tables, and JSON', async () => {
  const { out } = await execute(['models'])
  expect(out).toMatch(/^svc-/)
  expect(JSON.parse((await execute(['models', '--json'])).out)).toContainEqual(
    expect.objectContaining({ object: 'model' }),
  )
})

test.each(Object.keys(COMMANDS))('%s has a page of help', async (name) => {
  expect((await execute([name, '--help'])).out).toContain(`Usage: svc-audio ${name}`)
})

test.each(SHELLS)('the completion of %s knows every command and option', (shell) => {
  const script = completionScript(shell)
  for (const [name, { options }] of Object.entries(COMMANDS)) {
    expect(script).toContain(name)
    for (const option of Object.keys(options)) expect(script).toContain(option)
  }
})

describe('a text that the service refuses for its length', () => {
  const TEXT = Array.from({ length: 16 }, (_, index) => `Sentence ${index} of a long text.`).join(' ')
  const TOO_LONG = status(400, { error: { code: 'input_too_long', message: 'input must have at most 400 characters' } })
  const speech = 'POST /v1/audio/speech'

  function inputsOf(upstream: TestUpstream): readonly unknown[] {
    const bodies = upstream.requests.filter(({ method }) => method === 'POST').map(({ json }) => json)
    return bodies.map((body) => (typeof body === 'object' && body !== null ? Reflect.get(body, 'input') : body))
  }

  test.each(['mp3', 'aac'])('is spoken in parts, whose %s is joined', async (format) => {
    await using upstream = await createTestUpstream()
    upstream.next(speech, TOO_LONG)
    const short = join(folder, `short.${format}`)
    await execute(['speak', 'Hello.', '--voice', 'rms', '--out', short])
    const path = join(folder, `long.${format}`)
    const { code } = await execute(['speak', TEXT, '--voice', 'rms', '--out', path], { upstream })
    expect(code).toBe(0)
    const [whole, ...parts] = inputsOf(upstream)
    expect(whole).toBe(TEXT)
    expect(parts).toHaveLength(2)
    expect(parts.join(' ')).toBe(TEXT)
    for (const part of parts) expect(part).toMatch(/^Sentence .*\.$/)
    const [one, two] = await Promise.all([readFile(short), readFile(path)])
    expect(two.byteLength).toBe(2 * one.byteLength)
  })

  test('is not cut behind an abbreviation, and leaves no other file', async () => {
    await using upstream = await createTestUpstream()
    upstream.next(speech, TOO_LONG)
    const text = `${'The boats are small '.repeat(6)}and Dr. Smith goes there ${'every morning '.repeat(8).trim()}.`
    const own = join(folder, 'doctor')
    await mkdir(own)
    const { code } = await execute(['speak', text, '--voice', 'rms', '--out', join(own, 'a.mp3')], { upstream })
    expect([code, await readdir(own)]).toEqual([0, ['a.mp3']])
    for (const part of inputsOf(upstream)) expect(part).not.toMatch(/Dr\.$/)
  })

  test.each(['opus', 'flac'])('is refused with the formats that can be joined, for %s', async (format) => {
    await using upstream = await createTestUpstream()
    upstream.next(speech, TOO_LONG)
    const path = join(folder, `long.${format}`)
    const { error } = await execute(['speak', TEXT, '--voice', 'rms', '--out', path], { upstream })
    expect(error).toContain(`.${format} cannot be joined: choose .mp3, .aac or .wav`)
    expect(existsSync(path)).toBe(false)
  })
})
