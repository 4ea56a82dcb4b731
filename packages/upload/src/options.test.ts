import { ConfigurationError } from '@svc-audio/core'
import { expect, test } from 'vitest'
import { assertUploadOptions, resolveOptions } from './options.ts'

test('absent options get their defaults', () => {
  expect(resolveOptions({ maxFileSize: 5 })).toEqual({
    maxFileSize: 5,
    fileField: 'file',
    accept: ['audio/*', 'video/*', 'application/ogg', 'application/vnd.ms-asf'],
    allowRaw: false,
    maxFields: 32,
    maxFieldSize: 65_536,
    maxFormBytes: 1_048_576,
    drain: { maxBytes: 16_777_216, timeout: 10_000 },
  })
})

const check = (options: object) => () => assertUploadOptions({ maxFileSize: 1, ...options })

test('a wrong option is refused with its name, its requirement and its value', () => {
  for (const maxFileSize of [0, -1, 1.5, Number.NaN, Infinity, '5']) {
    expect(check({ maxFileSize })).toThrow('receiveUpload(): `maxFileSize` must be a positive integer of bytes, got ')
  }
  expect(check({ maxFileSize: Number.NaN })).toThrow('got NaN')
  expect(check({ limits: { maxFields: -1 } })).toThrow(ConfigurationError)
  expect(check({ limits: { drain: { timeout: Number.NaN } } })).toThrow('`limits.drain.timeout` must be a number')
  expect(check({ limits: { drain: { bytes: 5 } } })).toThrow(
    '`limits.drain`: Unknown field `bytes`; did you mean `maxBytes`?',
  )
  expect(check({ accept: 'audio/*' })).toThrow("`accept` must be a non-empty array of MIME types such as ['audio/*']")
  expect(check({ accept: [] })).toThrow('`accept`')
  expect(check({ accept: ['wav'] })).toThrow('`accept`')
  expect(check({ fileField: '' })).toThrow('`fileField`')
  expect(check({ allowRaw: 'yes' })).toThrow("`allowRaw` must be true or false, got 'yes'")
  expect(check({ signal: {} })).toThrow('`signal` must be an AbortSignal')
})

test('an unknown option is refused with the likely name', () => {
  expect(check({ maxFilesize: 5 })).toThrow('Unknown option `maxFilesize`; did you mean `maxFileSize`?')
  expect(check({ max_file_size: 5 })).toThrow('did you mean `maxFileSize`?')
  expect(check({ dest: '/tmp' })).toThrow('Unknown option `dest`: use `maxFileSize`, `fileField`')
})

test('options at their limits are accepted', () => {
  expect(
    check({ limits: { maxFields: 0, drain: { maxBytes: 0 } }, signal: new AbortController().signal }),
  ).not.toThrow()
})

test('the message never contains a string value', () => {
  expect(check({ accept: 'sk-sekret' })).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('sekret') as string }),
  )
})
