import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AddressSet, networkOf, readAddress } from './addresses.ts'

describe('an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:201', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:80', '192.0.2.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('%s is %s', (text, address) => {
    expect(readAddress(text)).toBe(address)
  })

  test.each([
    '',
    'unknown',
    '_hidden',
    '192.0.2',
    '010.0.0.1',
    '192.0.2.1:x',
    '[2001:db8::1',
    '1.2.3.4:999999',
    'a.b:1',
  ])('%j is none', (text) => {
    expect(readAddress(text)).toBeUndefined()
  })

  test('no text throws, and what is read stays as it is', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.ipV4(),
      fc.ipV6(),
      fc.string().map((text) => `[${text}]:1`),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const address = readAddress(text)
        expect(readAddress(address)).toBe(address)
      }),
    )
  })
})

describe('a set of addresses', () => {
  const set = new AddressSet(['10.0.0.5', '192.168.0.0/16', '2001:db8::/32', '::1'])

  test.each(['10.0.0.5', '::ffff:10.0.0.5', '192.168.255.1:80', '2001:db8:1::2', '[::1]:443'])('has %s', (text) => {
    expect(set.has(text)).toBe(true)
  })

  test.each(['10.0.0.6', '2001:db9::1', '::2', 'unknown', '', undefined])('does not have %s', (text) => {
    expect(set.has(text)).toBe(false)
  })

  test.each(['proxy.lan', '10.0.0.0/33', '10.0.0.0/', '::1/129', '10.0.0.0/8/8', 'fe80::1%eth0', ''])(
    'refuses the entry %j by name',
    (entry) => {
      expect(() => new AddressSet(['10.0.0.5', entry])).toThrow(
        `has ${JSON.stringify(entry)}, which is not an address or a CIDR block`,
      )
    },
  )
})

describe('the network of a client', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
