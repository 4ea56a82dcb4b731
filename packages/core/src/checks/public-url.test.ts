import { describe, expect, test } from 'vitest'
import { InvalidRequestError } from '../errors.ts'
import { checkPublicUrl, isPrivateHost } from './public-url.ts'
import * as fc from 'fast-check'

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

describe('addresses of this machine and its network are private', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '127.255.255.254',
    '0.0.0.0',
    '0',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
  ])('%s', (host) => {
    expect(isPrivateHost(host)).toBe(true)
  })

  test.each([
    ['decimal', '2130706433'],
    ['octal', '0177.0.0.1'],
    ['hexadecimal', '0x7f.0.0.1'],
    ['hexadecimal in one piece', '0x7f000001'],
    ['octal in one piece', '017700000001'],
    ['mixed', '0xA9.254.0251.0xfe'],
    ['full-width digits', '１２７.０.０.１'],
    ['a dot at the end', '127.0.0.1.'],
  ])('IPv4 in another spelling: %s', (_, host) => {
    expect(isPrivateHost(host)).toBe(true)
  })

  test.each([
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['loopback in brackets', '[::1]'],
    ['loopback in full', '0:0:0:0:0:0:0:1'],
    ['mapped', '::ffff:127.0.0.1'],
    ['mapped, hexadecimal', '[::ffff:7f00:1]'],
    ['mapped, private', '::ffff:10.0.0.1'],
    ['compatible', '::127.0.0.1'],
    ['translated (NAT64)', '64:ff9b::10.0.0.1'],
    ['local translation', '64:ff9b:1::1'],
    ['6to4', '2002:7f00:1::'],
    ['6to4, private', '2002:c0a8:101::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['unique local', 'fd12:3456:789a::1'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['newer documentation', '3fff:fff::1'],
    ['with a zone', 'fe80::1%eth0'],
  ])('IPv6: %s', (_, host) => {
    expect(isPrivateHost(host)).toBe(true)
  })
})

describe('names', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ⓛocalhost',
    'api.localhost',
    'localhost.localdomain',
    'printer.local',
    'metadata.google.internal',
    'nas.home.arpa',
    'router.lan',
    'intranet',
  ])('%s is private', (host) => {
    expect(isPrivateHost(host)).toBe(true)
  })

  test.each([
    'example.com',
    'cdn.example.co.uk',
    'local.example.com',
    'internal-docs.com',
    'bücher.example',
    '1.2.3.4.com',
  ])('%s is public', (host) => {
    expect(isPrivateHost(host)).toBe(false)
  })
})

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '192.167.255.255',
  '223.255.255.255',
])('the public address %s is public', (host) => {
  expect(isPrivateHost(host)).toBe(false)
})

test.each([
  '2606:4700:4700::1111',
  '[2a00:1450:4001:81b::200e]',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
])('the public address %s is public', (host) => {
  expect(isPrivateHost(host)).toBe(false)
})

test.each([
  '',
  ' ',
  'a b',
  'example.com/',
  'example.com@127.0.0.1',
  'example.com:80',
  '[::1',
  '999.1.1.1',
  'a#b',
  'a\\b',
  '%00',
])('what is no host counts as private: %j', (host) => {
  expect(isPrivateHost(host)).toBe(true)
})

test('every spelling of an address gets one response', () => {
  fc.assert(
    fc.property(fc.nat({ max: 0xff_ff_ff_ff }), (address) => {
      const octets = [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255]
      const [high, low] = [address >>> 16, address & 0xff_ff]
      const spellings = [
        octets.join('.'),
        String(address),
        `0x${address.toString(16)}`,
        octets.map((octet) => `0${octet.toString(8)}`).join('.'),
        `::ffff:${octets.join('.')}`,
        `[::ffff:${high.toString(16)}:${low.toString(16)}]`,
        `64:ff9b::${octets.join('.')}`,
        `2002:${high.toString(16)}:${low.toString(16)}::1`,
      ]
      expect(new Set(spellings.map(isPrivateHost)).size).toBe(1)
    }),
  )
})

test('nothing outside 2000::/3 is public, unless it carries a public IPv4 address', () => {
  const group = fc.nat({ max: 0xff_ff })
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const [first = 0] = groups
      fc.pre(first !== 0 && first !== 0x64 && (first < 0x20_00 || first > 0x3f_ff))
      expect(isPrivateHost(groups.map((one) => one.toString(16)).join(':'))).toBe(true)
    }),
  )
})
