import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { collect, rejection } from '../../test/support/clients.ts'
import { NotReplayableError } from '../errors/request-errors.ts'
import { isStream, opener, type UploadStream } from './upload-source.ts'

const BYTES = Uint8Array.of(1, 2, 3)
const web = (): ReadableStream<Uint8Array> => new Blob([BYTES]).stream()
const node = (): Readable => Readable.from([Buffer.from(BYTES)])
async function* generate(): AsyncGenerator<Uint8Array, void, undefined> {
  yield BYTES
}

/** A function as JavaScript allows it, whatever it returns. */
const giving = (give: () => unknown): (() => AsyncGenerator<Uint8Array, void, undefined>) =>
  opener(give as () => UploadStream, 'audio_sample')

const attempt = async (open: () => AsyncIterable<Uint8Array>): Promise<Uint8Array> => collect(open())

test.each<[string, () => UploadStream]>([
  ['web streams', web],
  ['Node streams', node],
  ['generators', generate],
])('%s from a function are opened for each attempt', async (_, give) => {
  const open = giving(give)
  for (let round = 0; round < 3; round += 1) expect([...(await attempt(open))]).toEqual([1, 2, 3])
})

describe('a second opening is refused', () => {
  test.each<[string, () => UploadStream]>([
    ['of the same web stream', web],
    ['of the same Node stream', node],
    ['of the same generator', generate],
    ['of the same iterable', () => ({ [Symbol.asyncIterator]: generate })],
  ])('%s', async (_, make) => {
    const stream = make()
    const open = giving(() => stream)
    expect([...(await attempt(open))]).toEqual([1, 2, 3])
    const error = await rejection(attempt(open))
    expect(error).toBeInstanceOf(NotReplayableError)
    expect((error as Error).message).toBe(
      'audio_sample: its stream was read before: give a path, a Blob, a Uint8Array or a function that opens one',
    )
  })

  test('after a partial read', async () => {
    const stream = web()
    const open = giving(() => stream)
    await open().return()
    expect(await rejection(attempt(open))).toBeInstanceOf(NotReplayableError)
  })

  test('of streams that take turns', async () => {
    const streams = [generate(), generate()]
    let turn = 0
    const open = giving(() => streams[turn++ % 2])
    await attempt(open)
    await attempt(open)
    expect(await rejection(attempt(open))).toBeInstanceOf(NotReplayableError)
  })

  test.each<[string, () => Promise<UploadStream>]>([
    [
      'locked',
      async () => {
        const stream = web()
        stream.getReader()
        return stream
      },
    ],
    [
      'read',
      async () => {
        const stream = new PassThrough()
        stream.end('ab')
        await new Promise((resolve) => stream.once('data', resolve))
        return stream
      },
    ],
    ['destroyed', async () => new PassThrough().on('error', () => {}).destroy()],
  ])('of another stream that somebody else has %s', async (_, used) => {
    const streams = [web(), await used()]
    const open = giving(() => streams.shift())
    await attempt(open)
    expect(await rejection(attempt(open))).toBeInstanceOf(NotReplayableError)
  })
})

test('a first opening of a used stream fails as reading it does', async () => {
  const locked = web()
  locked.getReader()
  expect(await rejection(attempt(giving(() => locked)))).toBeInstanceOf(TypeError)
})

test('a function without a stream throws each time, and a later stream still works', async () => {
  const given: unknown[] = [undefined, web()]
  const open = giving(() => given.shift())
  expect(await rejection(attempt(open))).toMatchObject({ code: 'invalid_type', param: 'audio_sample' })
  expect([...(await attempt(open))]).toEqual([1, 2, 3])
})

test('streams are recognized, and other values are not', () => {
  for (const stream of [web(), node(), generate(), new PassThrough()]) expect(isStream(stream)).toBe(true)
  for (const other of [null, undefined, 'a', 7, BYTES, new Blob([]), [BYTES], {}, web, Promise.resolve(web())]) {
    expect(isStream(other)).toBe(false)
  }
})
