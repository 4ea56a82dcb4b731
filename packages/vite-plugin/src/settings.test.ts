import { resolve } from 'node:path'
import { ApiError, ConfigurationError, ConnectionError } from '@svc-audio/core'
import type { EnvironmentModuleNode } from 'vite'
import { encodeWav, type PcmFormat } from '@svc-audio/core/audio'
import { describe, expect, test } from 'vitest'
import { copyAudio, recordingSeconds } from './build/emit.ts'
import { cacheWatchOptions } from './cache-watch-options.ts'
import { checkVite } from './check-vite.ts'
import { formatError } from './format-error.ts'
import { updatedModules } from './hot-update.ts'
import { mediaType } from './media-type.ts'
import { encoded, EncoderError, ffmpeg } from './narrator/encoder.ts'
import { cacheFolder } from './settings.ts'
import type { Page } from './source/read-page.ts'

const PCM: PcmFormat = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

describe('the remedy of an error', () => {
  const coded = (code: string): Error => Object.assign(new Error('failed'), { code })
  const api = (status: number): ApiError => new ApiError('failed', { status })

  test.each([
    [new ConnectionError('failed'), ' (check baseUrl or SVC_AUDIO_BASE_URL, and whether the service runs)'],
    [api(401), ' (check apiKey or SVC_AUDIO_API_KEY)'],
    [api(403), ' (check apiKey or SVC_AUDIO_API_KEY)'],
    [api(404), ' (check voice_id, model and baseUrl)'],
    [api(429), ' (try again later, or lower concurrency)'],
    [api(400), ''],
    [api(500), ''],
    [new ConfigurationError('failed'), ''],
    [coded('EACCES'), ' (check cacheDir)'],
    [coded('EROFS'), ' (check cacheDir)'],
    [coded('ENOSPC'), ' (check cacheDir)'],
    [coded('ENOENT'), ''],
    [new Error('failed'), ''],
    ['failed', ''],
  ])('%o: "%s"', (error, remedy) => {
    expect(formatError(error, 'posts/a.md')).toBe(`posts/a.md cannot be narrated: failed${remedy}`)
  })
})

describe('the folder of the cache', () => {
  test.each([
    [undefined, '/site/node_modules/.vite', '/site/node_modules/.cache/svc-audio'],
    [undefined, '/repo/node_modules/.vite', '/repo/node_modules/.cache/svc-audio'],
    [undefined, '/tmp/vite', '/site/node_modules/.cache/svc-audio'],
    ['audio', '/site/node_modules/.vite', '/site/audio'],
    ['../audio', '/site/node_modules/.vite', '/audio'],
    ['/data/audio', '/site/node_modules/.vite', '/data/audio'],
  ])('the folder of the cache of cacheDir %s, with the cache of Vite at %s, is %s', (folder, cacheDir, path) => {
    expect(cacheFolder(folder, { root: '/site', cacheDir })).toBe(resolve(path))
  })

  test.each([
    ['audio', {}, [`${resolve('audio')}/**`]],
    ['audio', { root: '/site' }, ['/site/audio/**']],
    ['a (1)/[b]*', { root: '/site' }, [String.raw`/site/a \(1\)/\[b\]\*/**`]],
    ['audio', { root: '/site', server: { watch: {} } }, ['/site/audio/**']],
  ])('%s with %o is not watched', (folder, config, ignored) => {
    expect(cacheWatchOptions(folder, config)).toEqual({ server: { watch: { ignored } } })
  })

  test('the folder of the cache changes nothing where nothing is watched', () => {
    expect(cacheWatchOptions(undefined, {})).toBeUndefined()
    expect(cacheWatchOptions('audio', { server: { watch: null } })).toBeUndefined()
  })
})

test('a host without environments is too old, and named', () => {
  expect(() => checkVite({ environments: {} })).not.toThrow()
  expect(() => checkVite()).not.toThrow()
  expect(() => checkVite({ root: '/' })).toThrow(
    '@svc-audio/vite-plugin needs Vite 6.3 or later, and this site runs on Vite 5 or older. VitePress 1 brings Vite 5',
  )
})

describe('files', () => {
  test.each([
    ['a.mp3', 'audio/mpeg'],
    ['a.MP3', 'audio/mpeg'],
    ['a.b.opus', 'audio/ogg'],
    ['a.ogg', 'audio/ogg'],
    ['a.m4a', 'audio/mp4'],
    ['a.webm', 'audio/webm'],
    ['a.constructor', 'application/octet-stream'],
    ['a.xyz', 'application/octet-stream'],
    [undefined, 'audio/mpeg'],
  ])('the recording %s is %s', (recording, type) => {
    expect(mediaType({ script: undefined, recording } as Page)).toBe(type)
  })

  test('the length of a recording is read in formats of narrations only', () => {
    const wav = encodeWav(PCM, [new Uint8Array(3200)])
    expect([recordingSeconds('wav', wav), recordingSeconds('mp3', wav), recordingSeconds('m4a', wav)]).toEqual([
      0.1,
      undefined,
      undefined,
    ])
  })

  test('audio is copied for files of the bundle only', () => {
    const copies = [{ from: '/does/not/exist', fileName: 'assets/a.flac' }]
    expect(() => copyAudio(copies, '/does/not/exist', {})).not.toThrow()
    expect(() => copyAudio(copies, '/does/not/exist', { 'assets/a.flac': {} })).toThrow('ENOENT')
  })
})

describe('an encoder', () => {
  const wav = encodeWav(PCM, [new Uint8Array(6)])

  test('an encoder has its bytes taken as they are', async () => {
    const bytes = Uint8Array.of(1)
    expect(await encoded(async () => bytes, wav, 'mp3')).toBe(bytes)
    expect(await ffmpeg(wav, 'wav')).toBe(wav)
  })

  test.each<[string, () => unknown, string]>([
    ['no bytes', () => new Uint8Array(), 'it returned no mp3 audio'],
    ['nothing', () => undefined, 'it returned no mp3 audio'],
    ['text', () => 'audio', 'it returned no mp3 audio'],
    ['an error', () => Promise.reject(new Error('broken')), 'broken'],
    ['an error that is none', () => Promise.reject('broken'), 'broken'],
  ])('an encoder that gives %s fails', async (_, encode, reason) => {
    const failing = encoded(async () => (await encode()) as Uint8Array, wav, 'mp3')
    await expect(failing).rejects.toThrow(EncoderError)
    await expect(failing).rejects.toThrow(`The encoder failed: ${reason}`)
  })
})

describe('an edit', () => {
  const node = (id: string | null): EnvironmentModuleNode => ({ id }) as EnvironmentModuleNode
  const [page, same, changed, nameless] = [node('page'), node('same'), node('changed'), node(null)]
  const isSame = async (id: string, content: string): Promise<boolean> => content === 'new' && id === 'same'
  const read = (): string => 'new'

  test('an edit updates the modules of the file, and the narrations that it changes', async () => {
    const modules = await updatedModules({ modules: [page, same], read }, [same, changed, nameless], isSame)
    expect(modules).toEqual([page, changed, nameless])
  })

  test('an edit of a file without narrations is not read', async () => {
    const unread = (): never => {
      throw new Error('read')
    }
    expect(await updatedModules({ modules: [page], read: unread }, [], isSame)).toEqual([page])
  })
})
