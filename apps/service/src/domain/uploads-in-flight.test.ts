import { expect, test } from 'vitest'
import { UploadsInFlight } from './uploads-in-flight.ts'

test('uploads of a tenant count together, those of another tenant apart', () => {
  const uploads = new UploadsInFlight(10)
  uploads.meter('a').add('one', 6)
  uploads.meter('b').add('two', 6)
  expect(() => uploads.meter('a').add('three', 6)).toThrow(/quota|space/i)
  uploads.end('three')
  expect(uploads.bytesOf('a')).toBe(6)
  uploads.end('one')
  uploads.end('one')
  expect(uploads.bytesOf('a')).toBe(0)
  expect(uploads.bytesOf('b')).toBe(6)
})

test('uploads with one key count once, until one of them is stored', () => {
  const uploads = new UploadsInFlight(10)
  const meter = uploads.meter('a', { key: 'k' })
  for (const path of ['one', 'two', 'three']) meter.add(path, 8)
  expect(uploads.bytesOf('a')).toBe(8)
  uploads.end('two')
  expect(uploads.bytesOf('a')).toBe(8)
  uploads.beforeStore('three')
  expect(uploads.bytesOf('a')).toBe(0)
})

test('the key of one tenant is not the key of another', () => {
  const uploads = new UploadsInFlight(10)
  uploads.meter('a', { key: 'k' }).add('one', 8)
  uploads.meter('b', { key: 'k' }).add('two', 8)
  expect(uploads.bytesOf('b')).toBe(8)
})

test('an upload counts toward the quota beside what is stored', () => {
  const uploads = new UploadsInFlight(10)
  expect(() => uploads.meter('a', { stored: 5 }).add('one', 6)).toThrow(/quota|space/i)
})
