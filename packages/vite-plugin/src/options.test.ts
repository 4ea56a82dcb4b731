import { resolve } from 'node:path'
import { ConfigurationError } from '@svc-audio/core'
import { describe, expect, test } from 'vitest'
import { cacheFolder, checkOptions, faultInDefaults, type NarrationOptions } from './options.ts'

/** The message for options; `undefined` when they are accepted. */
function messageFor(options: unknown): string | undefined {
  try {
    checkOptions(options as NarrationOptions)
    return undefined
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

const TEXT = 'must be a non-empty string'
const GLOB = 'must be a glob, or a list of globs'
const WHOLE = 'must be a positive integer'
const GAP = 'must be a number of seconds from 0 to 10'
const VOICES = 'must hold a voice id for each language'

test.each([[undefined], [null], ['rms'], [7]])('%o instead of options gets an example', (options) => {
  expect(messageFor(options)).toBe(
    "narration() needs options: narration({ service: 'local' }) or narration({ voice_id: '…' })",
  )
})

test.each([
  ['client', 'https://a.example', 'must be an object, got a string'],
  ['client', null, 'must be an object, got null'],
  ['baseUrl', 8787, `${TEXT}, got 8787`],
  ['baseUrl', ' ', `${TEXT}, got an empty string`],
  ['endpoint', '', `${TEXT}, got an empty string`],
  ['voice_id', null, `${TEXT}, got null`],
  ['voice_id', ['rms'], `${TEXT}, got an array`],
  ['voices', 'anna', 'must be an object, got a string'],
  ['voices', ['anna'], 'must be an object, got an array'],
  ['voices', { de: '' }, `${VOICES}, got an object`],
  ['voices', { de: 'anna', en: undefined }, `${VOICES}, got an object`],
  ['model', false, `${TEXT}, got false`],
  ['response_format', 'MP3', "must be one of 'mp3', 'wav', 'opus', 'flac', 'aac', got 'MP3'"],
  ['response_format', 'toString', "must be one of 'mp3', 'wav', 'opus', 'flac', 'aac', got 'toString'"],
  ['language', 1, `${TEXT}, got 1`],
  ['aigc_metadata', true, 'must be an object, got true'],
  ['lexicon', 'nginx', "must be respellings by language, e.g. { '*': { nginx: 'engine x' } }, got a string"],
  ['lexicon', ['nginx'], "must be respellings by language, e.g. { '*': { nginx: 'engine x' } }, got an array"],
  [
    'lexicon',
    { '*': { nginx: 1 } },
    "must be respellings by language, e.g. { '*': { nginx: 'engine x' } }, got an object",
  ],
  ['segmentBy', 'word', "must be one of 'sentence', 'paragraph', 'section', 'page', got 'word'"],
  ['text', 'plain', 'must be an object, got a string'],
  ['gapSeconds', 10.01, `${GAP}, got 10.01`],
  ['gapSeconds', Number.NaN, `${GAP}, got NaN`],
  ['gapSeconds', '1', `${GAP}, got '1'`],
  ['loudness', 16, "must be a number of LUFS from -40 to -5, or 'service', got 16"],
  ['loudness', 'loud', "must be a number of LUFS from -40 to -5, or 'service', got a string"],
  ['encoder', 'lame', "must be 'ffmpeg' or a function, got a string"],
  ['encoder', {}, "must be 'ffmpeg' or a function, got an object"],
  ['include', '', `${GLOB}, got an empty string`],
  ['include', ['posts/*.md', 7], `${GLOB}, got an array`],
  ['exclude', /draft/, `${GLOB}, got an object`],
  ['exclude', false, `${GLOB}, got false`],
  ['defaults', { voice_id: 'slt' }, 'must be a function, got an object'],
  ['cacheDir', '', `${TEXT}, got an empty string`],
  ['collect', 'yes', "must be true or false, got 'yes'"],
  ['mode', 'Auto', "must be one of 'auto', 'cache-only', 'dry-run', 'refresh', got 'Auto'"],
  ['maxCharacters', 0, `${WHOLE}, got 0`],
  ['maxCharacters', '500', `${WHOLE}, got '500'`],
  ['maxCharacters', Number.POSITIVE_INFINITY, `${WHOLE}, got Infinity`],
  ['pricePerMillion', -15, 'must be a number of a currency greater than 0, got -15'],
  ['onFailure', 'ignore', "must be one of 'error', 'warn', 'stale', got 'ignore'"],
  ['emit', 'link', "must be 'bundle' or 'copy', got 'link'"],
  ['concurrency', 1.5, `${WHOLE}, got 1.5`],
  ['timeout', 0, 'must be a number of milliseconds greater than 0, got 0'],
  ['timeout', '5s', "must be a number of milliseconds greater than 0, got '5s'"],
])('%s: %o is refused with the whole sentence', (name, value, fault) => {
  expect(messageFor({ voice_id: 'rms', [name]: value })).toBe(`narration(): \`${name}\` ${fault}`)
})

test.each([
  [{ content_propagator: '' }, `narration(): \`aigc_metadata.content_propagator\` ${TEXT}, got an empty string`],
  [{ enabled: true, propagate_id: 5 }, `narration(): \`aigc_metadata.propagate_id\` ${TEXT}, got 5`],
  [
    { toString: 1 },
    'narration(): `aigc_metadata`: Unknown field `toString`: use `enabled`, `content_propagator`, `propagate_id`',
  ],
])('a field of aigc_metadata is named: %o', (aigc_metadata, message) => {
  expect(messageFor({ voice_id: 'rms', aigc_metadata })).toBe(message)
})

test('a text is not shown, and a key is not shown as a number either', () => {
  expect(messageFor({ voice_id: 'rms', mode: 'x'.repeat(500) })).toMatch(/, got a string$/)
  for (const apiKey of ['', 7, ['secret'], null]) {
    expect(messageFor({ voice_id: 'rms', apiKey })).toBe(`narration(): \`apiKey\` ${TEXT}`)
  }
})

test.each(['toString', '__proto', 'constructor'])('%s is unknown, and all options are listed', (name) => {
  const message = messageFor({ voice_id: 'rms', [name]: 'x' })
  expect(message).toMatch(new RegExp(`^narration\\(\\): Unknown option \`${name}\`: use \`client\`, .*\`timeout\`$`))
})

test.each([
  ['voice', 'voice_id'],
  ['lang', 'language'],
  ['format', 'response_format'],
  ['key', 'apiKey'],
  ['url', 'baseUrl'],
  ['cache', 'cacheDir'],
])('the option %s means %s', (given, meant) => {
  expect(messageFor({ voice_id: 'rms', [given]: 'x' })).toContain(`did you mean \`${meant}\`?`)
})

test('a service of this machine needs no voice, and takes no address', () => {
  expect(messageFor({ service: 'local' })).toBeUndefined()
  expect(messageFor({ service: 'remote' })).toBe("narration(): `service` must be 'local', got 'remote'")
  expect(messageFor({ service: 'local', baseUrl: 'http://a.example' })).toMatch(
    /starts a service of its own: remove baseUrl/,
  )
  expect(messageFor({})).toMatch(/voice_id is missing: .* or set service: 'local', whose voice is joe$/)
})

test('a misspelt option gets the name that it probably means', () => {
  expect(messageFor({ voice_id: 'rms', voiceId: 'x' })).toBe(
    'narration(): Unknown option `voiceId`; did you mean `voice_id`?',
  )
})

describe('what is accepted', () => {
  test.each<[string, Partial<NarrationOptions>]>([
    ['the limits of numbers', { gapSeconds: 0, concurrency: 1, maxCharacters: 1, timeout: 0.5, pricePerMillion: 0.01 }],
    ['the longest gap', { gapSeconds: 10 }],
    ['the loudness of the service', { loudness: 'service' }],
    ['options that are undefined', { mode: undefined, encoder: undefined, voices: undefined, lexicon: undefined }],
    ['no voices and no respellings', { voices: {}, lexicon: {} }],
    ['lists of globs', { include: ['posts/*.md', '!posts/draft.md'], exclude: 'posts/old/*' }],
    ['any model', { model: 'svc-tts-of-tomorrow' }],
    ['Opus without an encoder', { response_format: 'opus', segmentBy: 'sentence' }],
  ])('%s', (_, options) => {
    expect(messageFor({ voice_id: 'rms', ...options })).toBeUndefined()
  })
})

describe('what defaults() gives', () => {
  test.each([
    [undefined, undefined],
    [{}, undefined],
    [{ voice_id: 'slt', model: 'svc-x', response_format: 'mp3', language: 'de', skip: false }, undefined],
    [{ voice_id: undefined }, undefined],
    [null, '`defaults()` must be an object, got null'],
    [{ voice_id: '' }, `\`defaults().voice_id\` ${TEXT}, got an empty string`],
    [{ model: 5 }, `\`defaults().model\` ${TEXT}, got 5`],
    [{ language: null }, `\`defaults().language\` ${TEXT}, got null`],
    [{ skip: 1 }, '`defaults().skip` must be true or false, got 1'],
    [['slt'], '`defaults()` must be an object, got an array'],
  ])('%o: %s', (given, fault) => {
    expect(faultInDefaults(given)).toBe(fault)
  })
})

test.each([
  [{ tabels: 'skip' }, 'Unknown option `tabels`; did you mean `tables`?'],
  [{ tables: 'none' }, "`tables` must be one of 'rows', 'labelled', 'skip', got 'none'"],
  [
    { props: { Card: 'title' } },
    "`props` must be lists of attributes by component, such as { Card: ['title'] }, got an object",
  ],
])('wrong options of the text reader are refused: %o', (text, message) => {
  expect(messageFor({ voice_id: 'rms', text })).toBe(`narration(): in \`text\`: ${message}`)
})

test.each(['mdx', 'lexicon', 'language'])('%s is no option of `text`: the page decides it', (name) => {
  expect(messageFor({ voice_id: 'rms', text: { [name]: true } })).toContain(`Unknown option \`${name}\``)
})

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
