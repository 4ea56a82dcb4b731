import { describe, expect, test } from 'vitest'
import { createAudioUrlPolicy } from './audio-url-policy.ts'

const closed = createAudioUrlPolicy()
const open = createAudioUrlPolicy(['media.lan', '10.1.0.0/16', '[fd00::]/8'])

// rules: transcription.url-public
describe('without a list', () => {
  test.each(['https://example.com/a.wav', 'http://example.com:8080/a?b#c', 'https://93.184.216.34/'])(
    '%s may be fetched',
    (url) => {
      expect(closed.check(url, 'url').href).toBe(url)
    },
  )

  test.each([
    ['private_url', 'http://localhost/'],
    ['private_url', 'http://127.0.0.1/'],
    ['private_url', 'http://2130706433/'],
    ['private_url', 'http://0x7f.1/'],
    ['private_url', 'http://[::1]/'],
    ['private_url', 'http://[::ffff:10.0.0.1]/'],
    ['private_url', 'http://169.254.169.254/latest/meta-data'],
    ['private_url', 'http://10.1.2.3/'],
    ['private_url', 'http://nas/'],
    ['invalid_url', 'file:///etc/passwd'],
    ['invalid_url', 'ftp://example.com/a.wav'],
    ['invalid_url', 'data:audio/wav;base64,AAAA'],
    ['invalid_url', 'https://user:secret@example.com/'],
    ['invalid_url', 'example.com/a.wav'],
    ['invalid_url', ''],
    ['invalid_url', `https://example.com/${'a'.repeat(8192)}`],
  ])('%s: %s', (code, url) => {
    expect(() => closed.check(url, 'audio_url')).toThrow(
      expect.objectContaining({ status: 400, code, param: 'audio_url' }),
    )
  })

  test('a public name with a private address is refused', () => {
    expect(closed.permits('example.com', { address: '93.184.216.34', family: 4 })).toBe(true)
    for (const address of ['127.0.0.1', '10.0.0.1', '::1', 'fe80::1', '::ffff:192.168.0.1', '100.64.0.1']) {
      expect(closed.permits('example.com', { address, family: address.includes(':') ? 6 : 4 })).toBe(false)
    }
  })
})

describe('with a list', () => {
  test.each(['http://media.lan/a.wav', 'https://10.1.2.3/a.wav', 'http://[fd12::1]/'])('%s may be fetched', (url) => {
    expect(open.check(url, 'url').href).toBe(url)
  })

  test('a listed name may have any address, and another name a listed address', () => {
    expect(open.permits('media.lan', { address: '192.168.9.9', family: 4 })).toBe(true)
    expect(open.permits('example.com', { address: '10.1.9.9', family: 4 })).toBe(true)
    expect(open.permits('example.com', { address: 'fd00::7', family: 6 })).toBe(true)
    expect(open.permits('example.com', { address: '10.2.0.1', family: 4 })).toBe(false)
  })

  test('other hosts and addresses are refused', () => {
    for (const url of ['http://other.lan/', 'http://10.2.0.1/', 'http://127.0.0.1/']) {
      expect(() => open.check(url, 'url')).toThrow(expect.objectContaining({ code: 'private_url' }))
    }
    expect(() => open.check('ftp://media.lan/', 'url')).toThrow(expect.objectContaining({ code: 'invalid_url' }))
  })
})

test.each(['http://media.lan', '10.0.0.0/99', 'a b', '', 'media.lan/24'])('%j is an invalid entry', (entry) => {
  expect(() => createAudioUrlPolicy([entry])).toThrow(RangeError)
})
