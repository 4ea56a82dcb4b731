import { expect, test } from 'vitest'
import { checkSourceUrl } from './source-url.ts'

function refusal(url: string): unknown {
  try {
    checkSourceUrl(url)
  } catch (error) {
    return error
  }
  throw new Error(`${url} was accepted`)
}

test('a public https URL is taken in its normal form', () => {
  expect(checkSourceUrl('https://Example.com:443/a/../talk.wav?x=1')).toBe('https://example.com/talk.wav?x=1')
})

test.each([
  'https://localhost/a.wav',
  'https://127.0.0.1/a.wav',
  'https://2130706433/a.wav',
  'https://0177.0.0.1/a.wav',
  'https://0x7f000001/a.wav',
  'https://[::1]/a.wav',
  'https://[::ffff:127.0.0.1]/a.wav',
  'https://169.254.169.254/latest/meta-data',
  'https://192.168.1.1/a.wav',
  'https://metadata.google.internal/',
  'http://10.0.0.1/a.wav',
])('%s is private_url', (url) => {
  expect(refusal(url)).toMatchObject({ code: 'private_url', retryable: false })
})

test.each([
  'http://example.com/a.wav',
  'file:///etc/passwd',
  'ftp://example.com/a.wav',
  'data:audio/wav;base64,UklGRg==',
  'blob:https://example.com/1',
  'javascript:alert(1)',
  'https://user:hunter2@example.com/a.wav',
  'https://',
])('%s is invalid_url', (url) => {
  expect(refusal(url)).toMatchObject({ code: 'invalid_url', retryable: false })
})

test('no message repeats the URL', () => {
  expect((refusal('https://user:hunter2@example.com/a.wav') as Error).message).not.toMatch(/hunter2|example/)
  expect((refusal('https://10.11.12.13/a.wav') as Error).message).not.toContain('10.11')
})
