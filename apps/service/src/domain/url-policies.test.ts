import { describe, expect, test } from 'vitest'
import { ServiceError } from './service-error.ts'
import { createAudioUrlPolicy, createWebhookPolicy } from './url-policies.ts'

const code = (check: () => unknown): string | undefined => {
  try {
    check()
    return undefined
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error)
  }
}

describe('without a list', () => {
  const policy = createWebhookPolicy()

  test.each(['https://example.com/', 'https://example.com:8443/a?b=c', 'https://8.8.8.8/', 'HTTPS://Example.COM'])(
    '%s may be called',
    (url) => {
      expect(policy.check(url)).toBe(new URL(url).href)
    },
  )

  test.each([
    'http://example.com/',
    'ftp://example.com/',
    'example.com',
    '',
    'https://user:word@example.com/',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest',
    'https://service.internal/',
    `https://example.com/${'x'.repeat(2048)}`,
  ])('%s may not', (url) => {
    expect(code(() => policy.check(url))).toBe('invalid_webhook_url')
  })

  test.each([
    ['https://localhost/hook', '--webhook-allow localhost'],
    ['http://10.0.0.7:8080/hook', '--webhook-allow http://10.0.0.7'],
    ['http://[::1]:8080/hook', '--webhook-allow http://::1'],
  ])('the refusal of %s names the option of the service', (url, remedy) => {
    expect(() => policy.check(url)).toThrow(remedy)
    expect(createWebhookPolicy([remedy.replace('--webhook-allow ', '')]).check(url)).toBe(url)
    expect(() => policy.check('http://example.com/')).not.toThrow('--webhook-allow')
  })

  test.each([
    ['93.184.216.34', 4, true],
    ['2606:2800:220:1::1', 6, true],
    ['127.0.0.1', 4, false],
    ['10.0.0.1', 4, false],
    ['169.254.169.254', 4, false],
    ['::1', 6, false],
    ['::ffff:127.0.0.1', 6, false],
    ['fe80::1%eth0', 6, false],
  ])('a name that resolves to %s: %s', (address, family, allowed) => {
    expect(policy.permits(new URL('https://example.com/'), { address, family })).toBe(allowed)
  })
})

describe('with a list', () => {
  const policy = createWebhookPolicy(['hooks.lan', '10.1.0.0/16', 'http://127.0.0.1', '[fd00::]/8', 'http://build.lan'])

  test.each([
    'https://hooks.lan/',
    'https://HOOKS.lan:8443/',
    'https://10.1.2.3/',
    'https://[fd00::1]/',
    'https://127.0.0.1/',
    'http://127.0.0.1:4000/hook',
    'http://build.lan/',
    'https://example.com/',
  ])('%s may be called', (url) => {
    expect(policy.check(url)).toBe(new URL(url).href)
  })

  test.each([
    ['http without an http entry', 'http://hooks.lan/'],
    ['http in a block listed for https', 'http://10.1.2.3/'],
    ['an address outside the block', 'https://10.2.0.1/'],
    ['another name', 'https://other.lan/'],
    ['a name that begins like a listed one', 'https://hooks.lan.example.lan/'],
    ['http to the public', 'http://example.com/'],
  ])('%s: %s may not', (_why, url) => {
    expect(code(() => policy.check(url))).toBe('invalid_webhook_url')
  })

  test.each([
    ['a listed name at any address', 'https://hooks.lan/', '192.168.0.9', true],
    ['a public name in a listed block', 'https://example.com/', '10.1.9.9', true],
    ['the same address inside IPv6', 'https://example.com/', '::ffff:10.1.9.9', true],
    ['a public name at another private address', 'https://example.com/', '10.2.0.1', false],
    ['plain http at a public address', 'http://build.example.com/', '93.184.216.34', false],
    ['a name listed for http', 'http://build.lan/', '192.168.0.9', true],
    ['a name listed for https, called by http', 'http://hooks.lan/', '192.168.0.9', false],
  ])('%s', (_case, url, address, allowed) => {
    expect(policy.permits(new URL(url), { address, family: address.includes(':') ? 6 : 4 })).toBe(allowed)
  })
})

test.each(['10.0.0.0/33', 'host/8', '10.0.0.0/8/9', 'a b', '', 'https://x.lan', '10.0.0.0/x', 'fd00::/129'])(
  '%j is an invalid entry',
  (entry) => {
    expect(() => createWebhookPolicy([entry])).toThrow(RangeError)
  },
)

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
  ])('%s: %s', (expected, url) => {
    expect(() => closed.check(url, 'audio_url')).toThrow(
      expect.objectContaining({ status: 400, code: expected, param: 'audio_url' }),
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
