import { array, assert, asyncProperty, property, string, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { encodeRequest, END_FRAME, frameHeader, FrameReader, readRequest } from './wasm-frames.ts'

const framed = (bytes: Uint8Array): Buffer => Buffer.concat([frameHeader(bytes.byteLength), bytes])

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes.byteLength; offset += size) yield bytes.subarray(offset, offset + size)
}

/** Reads a run up to its end. */
async function readRun(reader: FrameReader): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  for (;;) {
    const piece = await reader.read()
    if (piece === undefined) return undefined
    if (piece === 'end') return Buffer.concat(pieces)
    pieces.push(piece)
  }
}

test('runs are read as sent, however the stream cuts them', async () => {
  const frames = array(uint8Array({ minLength: 1, maxLength: 20 }), { maxLength: 5 })
  await assert(
    asyncProperty(frames, frames, array(uint8Array({ minLength: 1, maxLength: 1 })), async (first, second, sizes) => {
      const sent = Buffer.concat([...first.map(framed), END_FRAME, ...second.map(framed), END_FRAME])
      const reader = new FrameReader(inPieces(sent, 1 + sizes.length))
      expect(await readRun(reader)).toEqual(Buffer.concat(first))
      expect(await readRun(reader)).toEqual(Buffer.concat(second))
      expect(await reader.read()).toBeUndefined()
    }),
  )
})

test('a stream that ends inside a frame has no end of a run', async () => {
  const reader = new FrameReader(inPieces(framed(Buffer.from('cut')).subarray(0, 6), 100))
  expect(await readRun(reader)).toBeUndefined()
})

function requestReader(bytes: Buffer): (length: number) => Buffer | undefined {
  let offset = 0
  return (length) => {
    if (offset + length > bytes.byteLength) return undefined
    offset += length
    return bytes.subarray(offset - length, offset)
  }
}

test('any arguments arrive as sent, and the bytes behind the request stay unread', () => {
  assert(
    property(array(string({ unit: 'grapheme' })), string({ unit: 'grapheme' }), (args, inputFile) => {
      const read = requestReader(Buffer.concat([encodeRequest({ args, inputFile }), Buffer.from('pcm')]))
      expect(readRequest(read)).toEqual({ args, inputFile })
      expect(read(3)?.toString()).toBe('pcm')
    }),
  )
})

test('an input that ends before the request gives no request', () => {
  const bytes = encodeRequest({ args: ['-version'] })
  for (let length = 0; length < bytes.byteLength; length += 1)
    expect(readRequest(requestReader(bytes.subarray(0, length)))).toBeUndefined()
})

test('anything other than a request is refused', () => {
  expect(() => readRequest(requestReader(Buffer.from('\u0002\0\0\0{}')))).toThrow(TypeError)
})
