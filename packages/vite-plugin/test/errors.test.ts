import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { audioBytes, hold, speechAudio, status } from '@svc-audio/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { narration, type NarrationOptions } from '../src/index.ts'
import { API_KEY, setUpStage, SPEECH } from './support/stage.ts'

const stage = setUpStage()

const ONE = { 'main.js': `export { default } from './posts/a.md?narrate'`, 'posts/a.md': 'A short text.' }
const WAV = { response_format: 'wav' } as const

afterEach(() => {
  vi.unstubAllEnvs()
})

/** The message of a build that must fail. */
async function failure(building: Promise<unknown>): Promise<string> {
  const error: unknown = await building.then(
    () => {
      throw new Error('The build did not fail')
    },
    (reason: unknown) => reason,
  )
  return error instanceof Error ? error.message : String(error)
}

test.each([
  [{}, 'voice_id is missing'],
  [{ voice_id: '' }, '`voice_id` must be a non-empty string'],
  [{ voice_id: 'rms', voiceId: 'x' }, 'Unknown option `voiceId`; did you mean `voice_id`?'],
  [{ voice_id: 'rms', mode: 'cached' }, "`mode` must be one of 'auto', 'cache-only', 'dry-run', 'refresh'"],
  [{ voice_id: 'rms', voices: { de: 7 } }, '`voices` must hold a voice id for each language'],
  [{ voice_id: 'rms', lexicon: { nginx: 'engine x' } }, "e.g. { '*': { nginx: 'engine x' } }"],
  [{ voice_id: 'rms', maxCharacters: 1.5 }, '`maxCharacters` must be a positive integer'],
  [{ voice_id: 'rms', gapSeconds: -1 }, '`gapSeconds` must be a number of seconds from 0 to 10'],
  [{ voice_id: 'rms', response_format: 'pcm' }, "`response_format` must be one of 'mp3', 'wav', 'opus', 'flac', 'aac'"],
  [{ voice_id: 'rms', concurrency: 0 }, '`concurrency` must be a positive integer, got 0'],
  [
    { voice_id: 'rms', aigc_metadata: { enable: true } },
    '`aigc_metadata`: Unknown field `enable`; did you mean `enabled`?',
  ],
  [{ voice_id: 'rms', aigc_metadata: { enabled: 'yes' } }, '`aigc_metadata.enabled` must be true or false'],
  [{ voice_id: 'rms', timeout: Number.NaN }, '`timeout` must be a number of milliseconds'],
])('wrong options %o are refused at once', (options, message) => {
  expect(() => narration(options as Parameters<typeof narration>[0])).toThrow(message)
})

test.each([
  [{ voise: 'slt' }, '`defaults()`: Unknown field `voise`: use `voice_id`,'],
  [{ skip: 'yes' }, '`defaults().skip` must be true or false'],
  [{ response_format: 'ogg' }, "`defaults().response_format` must be one of 'mp3',"],
  ['slt', '`defaults()` must be an object'],
])('what defaults gives is checked: %o', async (given, message) => {
  const site = await stage.site(ONE)
  const defaults = (() => given) as unknown as NonNullable<NarrationOptions['defaults']>
  expect(await failure(site.build({ defaults }))).toContain(`posts/a.md cannot be narrated: ${message}`)
  expect(stage.calls).toHaveLength(0)
})

test('the error of a wrong key does not contain the key', () => {
  const options = { voice_id: 'rms', apiKey: 12_345_678 } as unknown as NarrationOptions
  expect(() => narration(options)).toThrow(/^narration\(\): `apiKey` must be a non-empty string$/)
})

test('without a key the error names the file, the option and the variable', async () => {
  vi.stubEnv('SVC_AUDIO_API_KEY', '')
  const site = await stage.site(ONE)
  const plugin = narration({ baseUrl: stage.upstream.url, voice_id: 'rms' })
  const message = await failure(site.buildWith(plugin))
  expect(message).toContain('posts/a.md cannot be narrated: apiKey is missing')
  expect(message).toContain('SVC_AUDIO_API_KEY')
  expect(stage.calls).toHaveLength(0)
})

test('without an address the error names the option and the variable', async () => {
  vi.stubEnv('SVC_AUDIO_BASE_URL', '')
  const site = await stage.site(ONE)
  const message = await failure(site.buildWith(narration({ apiKey: API_KEY, voice_id: 'rms' })))
  expect(message).toMatch(/posts\/a\.md .*baseUrl is missing.*SVC_AUDIO_BASE_URL/)
})

test('key and address are read from the environment and .env files, and reach no bundle', async () => {
  vi.stubEnv('SVC_AUDIO_BASE_URL', stage.upstream.url)
  const site = await stage.site({ ...ONE, '.env.local': `SVC_AUDIO_API_KEY=${API_KEY}\n` })
  await site.buildWith(narration({ voice_id: 'rms', ...WAV }), { envDir: site.root })
  expect(stage.calls).toHaveLength(1)
  expect(await site.contents('dist')).not.toContain(API_KEY)
  expect(await site.contents('node_modules')).not.toContain(API_KEY)
})

test.each([
  [
    'posts/a.md?narrate',
    { 'posts/a.md': '---\nskip: 1\n---\nText.' },
    'skip in the front matter must be true or false',
  ],
  [
    'posts/a.css?narrate',
    { 'posts/a.css': 'a{}' },
    'Only .md, .markdown, .mdx, .mdoc, .svx, .html, .htm, .txt files can be narrated',
  ],
  ['posts/a.md?voise=slt&narrate', { 'posts/a.md': 'x' }, 'Unknown option `voise`: use `voice_id`'],
  [
    'posts/a.md?response_format=pcm&narrate',
    { 'posts/a.md': 'x' },
    '?response_format must be one of mp3, wav, opus, flac, aac',
  ],
  ['posts/a.md?voice_id=&narrate', { 'posts/a.md': 'x' }, '?voice_id is empty'],
])('%s is refused with the remedy, before any call', async (id, files, message) => {
  const site = await stage.site({ 'main.js': `export { default } from './${id}'`, ...files })
  const text = await failure(site.build())
  expect(text).toContain(`${id.split('?', 1).join('')} cannot be narrated: `)
  expect(text).toContain(message)
  expect(stage.calls).toHaveLength(0)
})

test('the error of a missing file names it', async () => {
  const site = await stage.site({ 'main.js': `export { default } from './posts/b.md?narrate'` })
  expect(await failure(site.build())).toContain('posts/b.md')
})

test("a missing program of encoder: 'ffmpeg' is named before the first call", async () => {
  const site = await stage.site(ONE)
  vi.stubEnv('PATH', join(site.root, 'no-programs'))
  const message = await failure(site.build({ encoder: 'ffmpeg' }))
  expect(message).toContain('posts/a.md cannot be narrated: The encoder failed: ffmpeg cannot be run. ')
  expect(message).toContain("Install it on PATH, or remove the option encoder: 'ffmpeg'")
  expect(stage.calls).toHaveLength(0)
})

test('the error of a refused key names the remedy without the key', async () => {
  const site = await stage.site(ONE)
  stage.upstream.on(SPEECH, ({ message }) => {
    // A service that repeats the refused key.
    const error = { code: 'invalid_api_key', message: `No such key: ${message.headers.authorization}` }
    return status(401, { error })
  })
  const message = await failure(site.build())
  expect(message).toContain('posts/a.md cannot be narrated: ')
  expect(message).toContain('(check apiKey or SVC_AUDIO_API_KEY)')
  expect(message).not.toContain(API_KEY)
})

test('the error of an unknown voice names the remedy', async () => {
  const site = await stage.site(ONE)
  const error = { code: 'voice_not_found', message: 'There is no voice nobody', param: 'voice_id' }
  stage.upstream.on(SPEECH, status(404, { error }))
  const message = await failure(site.build({ voice_id: 'nobody' }))
  expect(message).toContain('There is no voice nobody')
  expect(message).toContain('(check voice_id, model and baseUrl)')
})

test('the error of an unreachable service names the remedy', async () => {
  const site = await stage.site(ONE)
  const message = await failure(site.build({ baseUrl: 'http://127.0.0.1:1' }))
  expect(message).toContain('http://127.0.0.1:1/v1/audio/speech')
  expect(message).toContain('(check baseUrl or SVC_AUDIO_BASE_URL, and whether the service runs)')
})

test('a response without audio is refused and not stored', async () => {
  const site = await stage.site(ONE, WAV)
  stage.upstream.on(SPEECH, audioBytes(Buffer.from('no audio'), 'audio/mpeg'))
  const message = await failure(site.build())
  expect(message).toContain('audio/mpeg that cannot be read as wav')
  expect(await site.list('node_modules')).toEqual([])
})

test("a call of the site's own client past its deadline fails the build", async () => {
  const site = await stage.site(ONE)
  const held = stage.hold()
  await using client = new AudioClient({ apiKey: API_KEY, baseUrl: stage.upstream.url })
  expect(await failure(site.build({ client, timeout: 50 }))).toContain('50 ms')
  expect(await stage.upstream.requests[0]?.closed()).toBe('closedByClient')
  held.release()
})

test('after a failure no call starts, calls in flight are stored, and only the cause is reported', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const site = await stage.site(
    {
      'main.js': names.map((name) => `export * as ${name} from './${name}.md?narrate'`).join('\n'),
      ...Object.fromEntries(names.map((name) => [`${name}.md`, `This is the text ${name}.`])),
    },
    WAV,
  )
  const held = stage.hold()
  const refusal = hold(status(400))
  stage.upstream.next(SPEECH, refusal)
  const building = failure(site.build())
  await stage.called(2)
  refusal.release()
  held.release()
  const message = await building
  expect(message.match(/cannot be narrated/g)).toHaveLength(1)
  expect(message).toContain(`${stage.calls[0]?.input.at(-2)}.md cannot be narrated`)
  expect(stage.calls).toHaveLength(2)
  // The audio of the other call, and its JSON.
  expect(await site.list('node_modules')).toHaveLength(2)
})

test('a WAV that is shorter than its header says is refused, and not cached', async () => {
  const site = await stage.site({ 'main.js': `export { default } from './a.md?narrate'`, 'a.md': 'One.' })
  const wav = speechAudio('wav', 1)?.bytes ?? Buffer.alloc(0)
  stage.upstream.next(SPEECH, audioBytes(wav.subarray(0, -1000), 'audio/wav'))
  await expect(site.build()).rejects.toThrow(
    /a\.md cannot be narrated: .*lacks 1000 bytes of the audio in its header: build/,
  )
  await site.build()
  expect(stage.calls).toHaveLength(2)
})

test('a WAV whose header tells no size, as a pipe writes it, is read to its end', async () => {
  const site = await stage.site({ 'main.js': `export { default } from './a.md?narrate'`, 'a.md': 'One.' })
  const wav = Buffer.from(speechAudio('wav', 1)?.bytes ?? '')
  wav.writeUInt32LE(0xff_ff_ff_ff, 40)
  stage.upstream.next(SPEECH, audioBytes(wav, 'audio/wav'))
  expect((await site.buildOne()).durationSeconds).toBeCloseTo(1, 3)
})
