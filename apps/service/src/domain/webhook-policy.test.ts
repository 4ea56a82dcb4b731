import { describe, expect, test } from 'vitest'
import { ServiceError } from './service-error.ts'
import { createWebhookPolicy } from './webhook-policy.ts'

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
