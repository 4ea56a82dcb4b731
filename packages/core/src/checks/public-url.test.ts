import { expect, test } from 'vitest'
import { InvalidRequestError } from '../errors/request-errors.ts'
import { checkPublicUrl } from './public-url.ts'

function failure(url: unknown): InvalidRequestError {
  try {
    Reflect.apply(checkPublicUrl, undefined, [url, 'url'])
  } catch (error) {
    if (error instanceof InvalidRequestError) return error
    throw error
  }
  throw new Error(`${String(url)} was accepted`)
}

// interface: transcription `url`: must not point to localhost, a loopback address or a private network address
// rules: transcription.url-public
test.each([
  'http://localhost/a.wav',
  'https://localhost:8443/a.wav',
  'http://127.0.0.1/a.wav',
  'http://2130706433/a.wav',
  'http://0177.0.0.01/a.wav',
  'http://0x7f.1/a.wav',
  'http://[::1]/a.wav',
  'http://[::ffff:169.254.169.254]/latest',
  'https://192.168.0.10:8443/a.wav',
  'https:10.0.0.1/a.wav',
])('%j is private_url', (url) => {
  expect(failure(url)).toMatchObject({ code: 'private_url', param: 'url' })
})

test.each([
  '',
  // parsers differ in what they make of these
  'ht\ntps://127.0.0.1/a.wav',
  ' https://10.0.0.1/a.wav ',
  'https:\\\\10.0.0.1\\a.wav',
  'https://example.com/a\tb.wav',
  'a.wav',
  '/a.wav',
  '//example.com/a.wav',
  'file:///etc/passwd',
  'ftp://example.com/a.wav',
  'data:audio/wav;base64,UklGRg==',
  'https://',
  'https://999.1.1.1/a.wav',
  'https://user:secret@example.com/a.wav',
  'https://user@example.com/a.wav',
  undefined,
  null,
  42,
])('%j is invalid_url', (url) => {
  expect(failure(url)).toMatchObject({ code: 'invalid_url', param: 'url' })
})

test('a password never becomes part of the error', () => {
  expect(failure('https://user:secret@example.com/a.wav').message).not.toContain('secret')
})

test.each([
  'https://example.com/a.wav',
  'http://example.com:8080/a.wav?x=1#t=2',
  'https://1.1.1.1/a.wav',
  'https://[2606:4700::1]/',
])('%s is accepted and returned as parsed', (url) => {
  expect(checkPublicUrl(url, 'url').href).toBe(url)
})

test('the result is the address as it was parsed', () => {
  expect(checkPublicUrl('https://EXAMPLE.com/a/../b.wav', 'url').href).toBe('https://example.com/b.wav')
})
