import { expect, test } from 'vitest'
import { createSecretCipher, isSealed, WrongSecretKeyError } from './secret-cipher.ts'

const cipher = createSecretCipher('a key of a test')

test('a sealed value is not the value, differs each time, and opens to the value', () => {
  const [one, other] = [cipher.seal('a', 'secret'), cipher.seal('a', 'secret')]
  expect(one).not.toBe(other)
  expect(one).not.toContain('secret')
  expect([isSealed(one), isSealed('secret')]).toEqual([true, false])
  expect([cipher.unseal('a', one), cipher.unseal('a', other)]).toEqual(['secret', 'secret'])
})

test('another key, another name and a changed value are refused with the remedy', () => {
  const sealed = cipher.seal('a', 'secret')
  const changed = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`
  expect(() => createSecretCipher('another key').unseal('a', sealed)).toThrow(WrongSecretKeyError)
  expect(() => cipher.unseal('b', sealed)).toThrow(/secret\.key/)
  expect(() => cipher.unseal('a', changed)).toThrow(WrongSecretKeyError)
})

test('a value that is not sealed opens as it is', () => {
  expect(cipher.unseal('a', 'plain')).toBe('plain')
})
