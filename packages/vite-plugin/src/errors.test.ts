import { ApiError, ConfigurationError, ConnectionError, TimeoutError } from '@svc-audio/core'
import { describe, expect, test } from 'vitest'
import {
  CostRefusedError,
  CutAudioError,
  EXIT_CODES,
  exitCodeOf,
  formatError,
  InvalidNarrationError,
  LocalServiceError,
  MissingNarrationError,
  UnjoinableError,
  UnreadableAudioError,
  writingTo,
} from './errors.ts'

describe('the remedy of an error', () => {
  const coded = (code: string): Error => Object.assign(new Error('failed'), { code })
  const api = (status: number): ApiError => new ApiError('failed', { status })

  const again = ' (repeating the call did not help: build again, the cache has what is finished)'

  test.each([
    [
      new ConnectionError('failed', { maybeSent: false }),
      ' (check baseUrl or SVC_AUDIO_BASE_URL, and whether the service runs)',
    ],
    [api(401), ' (check apiKey or SVC_AUDIO_API_KEY)'],
    [api(403), ' (check apiKey or SVC_AUDIO_API_KEY)'],
    [api(404), ' (check voice_id, model and baseUrl)'],
    [api(429), ' (try again later, or lower concurrency)'],
    [api(400), ''],
    [api(500), again],
    [api(502), again],
    [new ConnectionError('failed', { maybeSent: true }), again],
    [new TimeoutError('headers', 'failed'), again.replace(')', ', or raise timeout)')],
    [new ConfigurationError('failed'), ''],
    [coded('ENOENT'), ''],
    [new Error('failed'), ''],
    ['failed', ''],
  ])('%o: "%s"', (error, remedy) => {
    expect(formatError(error, 'posts/a.md')).toBe(`posts/a.md cannot be narrated: failed${remedy}`)
  })
})

test.each([
  [new CostRefusedError('x'), EXIT_CODES.cost],
  [new MissingNarrationError('a.md', 'x'), EXIT_CODES.cost],
  [new ApiError('failed', { status: 500 }), EXIT_CODES.service],
  [new ConnectionError('failed', { maybeSent: false }), EXIT_CODES.service],
  [new TimeoutError('headers', 'failed'), EXIT_CODES.service],
  [new CutAudioError(1), EXIT_CODES.service],
  [new UnreadableAudioError('mp3', 'text/html'), EXIT_CODES.service],
  [new LocalServiceError('service 1', 'x'), EXIT_CODES.service],
  [new InvalidNarrationError('x'), EXIT_CODES.text],
  [new UnjoinableError('wav', 'x'), EXIT_CODES.text],
  [Object.assign(new Error('x'), { code: 'ENOENT' }), EXIT_CODES.text],
  [new ConfigurationError('x'), undefined],
  [new TypeError('x'), undefined],
  ['x', undefined],
])('the exit code of a build that %o has failed tells cost, service and text apart', (error, code) => {
  expect(exitCodeOf(error)).toBe(code)
})

test.each([
  [
    'EACCES',
    /^The cache \/audio cannot be written: the folder is read-only \(EACCES\)\. Make it writable, or set cacheDir/,
  ],
  ['EROFS', /read-only \(EROFS\)/],
  ['ENOSPC', /the disk is full\. Free some space/],
])('a folder that cannot be written (%s) is named with the remedy', async (code, message) => {
  const failing = writingTo('/audio', () => Promise.reject(Object.assign(new Error('bare'), { code })))
  await expect(failing).rejects.toThrow(message)
})
