import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { DamagedObjectError, ObjectStoreUnavailableError } from '../../domain/errors.ts'
import { checkedBody, type ExpectedBytes } from './object-store.ts'

const sha256 = createHash('sha256').update('onetwo').digest('hex')

async function* body(...parts: (string | Error)[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield Buffer.from(part)
  }
}

async function read(parts: (string | Error)[], expected: Partial<ExpectedBytes> = {}): Promise<string> {
  const chunks = checkedBody(body(...parts), { name: 'a', bytes: 6, sha256, ...expected })
  return text(chunks)
}

test('the stored bytes pass', async () => {
  expect(await read(['one', 'two'])).toBe('onetwo')
})

test('a shorter or longer body is an outage', async () => {
  await expect(read(['one'])).rejects.toThrow(ObjectStoreUnavailableError)
  await expect(read(['one', 'two', 'three'])).rejects.toThrow('sent 11 bytes of a instead of 6')
})

test('other bytes of the same length are damage', async () => {
  await expect(read(['one', 'owt'])).rejects.toThrow(DamagedObjectError)
})

test('a truncated body with a matching length is damage', async () => {
  await expect(read(['one'], { bytes: 3 })).rejects.toThrow(DamagedObjectError)
})

test('a cut connection is an outage', async () => {
  await expect(read(['one', new Error('aborted')])).rejects.toThrow(ObjectStoreUnavailableError)
})

test('a part has no checksum', async () => {
  expect(await read(['two'], { bytes: 3, sha256: undefined })).toBe('two')
})
