import * as fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { decodeBase64 } from './base64.ts'

const native = Object.getOwnPropertyDescriptor(Uint8Array, 'fromBase64')

/** Node has the first, newer runtimes the second, and every browser the third. */
const DECODERS = ['Buffer', ...(native === undefined ? [] : ['fromBase64']), 'atob']

function use(decoder: string): void {
  if (decoder !== 'Buffer') vi.stubGlobal('Buffer', undefined)
  if (decoder === 'atob') Object.defineProperty(Uint8Array, 'fromBase64', { value: undefined, configurable: true })
}

function restore(): void {
  vi.unstubAllGlobals()
  if (native !== undefined) Object.defineProperty(Uint8Array, 'fromBase64', native)
}

afterEach(restore)

/** RFC 4648, one character at a time: the standard alphabet in groups of four, the last padded or merely short. */
function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(text)
}

function decodedLength(text: string): number | 'refused' {
  return decodeBase64(text)?.length ?? 'refused'
}

describe.each(DECODERS)('with %s', (decoder) => {
  test('any bytes come back from their Base64, padded or not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = btoa(String.fromCharCode(...bytes))
        use(decoder)
        expect([...(decodeBase64(text) ?? [])]).toEqual([...bytes])
        expect([...(decodeBase64(text.replace(/=+$/, '')) ?? [])]).toEqual([...bytes])
        restore()
      }),
    )
  })

  test('text is taken exactly when it is Base64, whatever single thing is wrong with it', () => {
    const character = fc.constantFrom(...'AZaz09+/=-_ \n\t!é\u0000語'.split(''))
    fc.assert(
      fc.property(fc.array(character, { maxLength: 10 }), (characters) => {
        const text = characters.join('')
        use(decoder)
        const bytes = Math.floor((text.replaceAll('=', '').length * 3) / 4)
        expect(decodedLength(text)).toBe(isBase64(text) ? bytes : 'refused')
        restore()
      }),
      { numRuns: 3000 },
    )
  })

  test.each(['AAAA!', 'AAAAA', '=', '==', '====', 'A=', 'AA=', 'A===', 'AAA==', 'AA==AAAA', 'AA AA', 'AAAA\n', 'ab-_'])(
    '%j is refused',
    (text) => {
      use(decoder)
      expect(decodeBase64(text)).toBeUndefined()
    },
  )

  test('empty text is no bytes', () => {
    use(decoder)
    expect(decodeBase64('')).toHaveLength(0)
  })
})
