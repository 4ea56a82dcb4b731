import { ApiError, ConfigurationError, ConnectionError, TimeoutError } from '@svc-audio/core'
import { describe, expect, test } from 'vitest'
import { formatError } from './errors.ts'

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
