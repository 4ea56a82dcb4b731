import { expect, test } from 'vitest'
import { assertUploadOptions, resolveOptions } from './options.ts'

test('defaults are filled in', () => {
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

test('a number out of range is refused by the name of its option', () => {
  for (const maxFileSize of [0, -1, 1.5, Number.NaN, Infinity]) {
    expect(() => assertUploadOptions({ maxFileSize })).toThrow('maxFileSize must be an integer of at least 1')
  }
  expect(() => assertUploadOptions({ maxFileSize: 1, maxFields: -1 })).toThrow(RangeError)
  expect(() => assertUploadOptions({ maxFileSize: 1, drain: { timeout: 0.5 } })).toThrow('drain.timeout')
  expect(() => assertUploadOptions({ maxFileSize: 1, maxFields: 0, drain: { maxBytes: 0 } })).not.toThrow()
})
