import { afterEach, describe, expect, test, vi } from 'vitest'
import { listAll } from '../test/support/clients.ts'
import { ByteBuilder, decodeBase64, toReadableStream } from './bytes.ts'
import * as fc from 'fast-check'

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

test('a take returns the pushed bytes and empties the builder', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.uint8Array({ maxLength: 20 }))), (rounds) => {
      const builder = new ByteBuilder()
      for (const pieces of rounds) {
        for (const piece of pieces) builder.push(piece)
        const whole = Buffer.concat(pieces)
        expect(builder.length).toBe(whole.length)
        expect(Buffer.from(builder.take())).toEqual(whole)
        expect(builder.length).toBe(0)
      }
    }),
  )
})

test('taken bytes do not change after later pushes', () => {
  const builder = new ByteBuilder()
  builder.push(Uint8Array.of(1, 2, 3))
  builder.push(Uint8Array.of(4))
  const taken = builder.take()
  builder.push(Uint8Array.of(9, 9, 9, 9))
  expect([...taken]).toEqual([1, 2, 3, 4])
})

async function* numbers(log: string[]): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let value = 1; value <= 3; value += 1) {
      log.push(`made ${value}`)
      yield Uint8Array.of(value)
    }
  } finally {
    log.push('left')
  }
}

test('a chunk is made only when it is read', async () => {
  const log: string[] = []
  const reader = toReadableStream(numbers(log)).getReader()
  await new Promise(setImmediate)
  expect(log).toEqual([])
  await expect(reader.read()).resolves.toEqual({ done: false, value: Uint8Array.of(1) })
  await new Promise(setImmediate)
  expect(log).toEqual(['made 1'])
  await reader.cancel()
  expect(log).toEqual(['made 1', 'left'])
})

test('the stream ends and fails as its source does', async () => {
  expect(await listAll(toReadableStream(numbers([])))).toHaveLength(3)
  const failing = (async function* fail(): AsyncGenerator<Uint8Array, void, undefined> {
    yield Uint8Array.of(1)
    throw new Error('torn')
  })()
  await expect(listAll(toReadableStream(failing))).rejects.toThrow('torn')
})
