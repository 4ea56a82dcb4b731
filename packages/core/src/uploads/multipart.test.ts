import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collect, rejection } from '../../test/support/clients.ts'
import { InvalidRequestError } from '../errors.ts'
import { MAX_FILE_BYTES } from '../wire/files.ts'
import { multipartBody } from './multipart.ts'
import type { UploadProgress } from '../transport/index.ts'
import { openUpload, type UploadFile } from './source.ts'

/** The bytes of a body, and what an independent reader, Node's own, makes of them. */
async function send(
  fields: [string, string][],
  source: UploadFile,
): Promise<{ bytes: Uint8Array; contentLength: number | undefined; form: FormData }> {
  const body = multipartBody(fields, 'file', await openUpload(source, 'file'))
  const bytes = Buffer.from(await collect(body.open() as AsyncIterable<Uint8Array>))
  const headers = { 'content-type': body.contentType }
  const form = await new Request('http://localhost', { method: 'POST', headers, body: bytes }).formData()
  return { bytes, contentLength: body.contentLength, form }
}

const chunked = (...chunks: Uint8Array[]) =>
  async function* stream(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* chunks
  }

describe('interface: multipart bodies', () => {
  test('any fields and any file arrive unchanged, with their exact length', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('model', 'keyterms', 'x y'), fc.string({ unit: 'binary' })), {
          maxLength: 5,
        }),
        fc.uint8Array({ maxLength: 200 }),
        async (fields, data) => {
          const { bytes, contentLength, form } = await send(fields, { data })
          expect(contentLength).toBe(bytes.length)
          expect([...form.entries()].filter(([name]) => name !== 'file')).toEqual(fields)
          const file = form.get('file') as File
          expect(new Uint8Array(await file.arrayBuffer())).toEqual(data)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('fields come before the file', async () => {
    const { form } = await send([['model', 'm']], { data: Uint8Array.of(1) })
    expect([...form.keys()]).toEqual(['model', 'file'])
  })

  test.each([
    ['a "quoted".wav', 'a "quoted".wav'],
    ['a\r\nX-Injected: 1.wav', 'a\r\nX-Injected: 1.wav'],
    ['语音 é 😀.wav', '语音 é 😀.wav'],
    ['back\\slash.wav', 'back\\slash.wav'],
    ['semi; name="model".wav', 'semi; name="model".wav'],
  ])('a file named %j keeps its name and adds nothing', async (name, expected) => {
    const { bytes, form } = await send([['model', 'm']], { data: Uint8Array.of(1), name })
    expect(Buffer.from(bytes).toString()).not.toMatch(/^X-Injected/m)
    expect([...form.keys()]).toEqual(['model', 'file'])
    expect(decodeName((form.get('file') as File).name)).toBe(expected)
  })

  test('the part has the given type', async () => {
    const { form } = await send([], { data: Uint8Array.of(1), type: 'audio/wav' })
    expect((form.get('file') as File).type).toBe('audio/wav')
    const { form: plain } = await send([], { data: Uint8Array.of(1) })
    expect((plain.get('file') as File).type).toBe('application/octet-stream')
  })

  test('no two bodies have the same boundary', async () => {
    const file = await openUpload(Uint8Array.of(1), 'file')
    expect(multipartBody([], 'file', file).contentType).not.toBe(multipartBody([], 'file', file).contentType)
  })

  test('a body can be opened again and gives the same bytes', async () => {
    const body = multipartBody([['model', 'm']], 'file', await openUpload(chunked(Uint8Array.of(1, 2)), 'file'))
    const first = await collect(body.open() as AsyncIterable<Uint8Array>)
    expect(await collect(body.open() as AsyncIterable<Uint8Array>)).toEqual(first)
  })
})

/** Names are percent-encoded where they would break the header; not every reader turns that back. */
function decodeName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')
}

describe('progress', () => {
  const three = chunked(new Uint8Array(10), new Uint8Array(20), new Uint8Array(30))
  const bodyOf = async (source: UploadFile, onProgress: (progress: UploadProgress) => void) =>
    multipartBody([['model', 'm']], 'file', await openUpload(source, 'file'), { onProgress })

  test('counts a chunk when the connection requests the next one', async () => {
    const told: number[] = []
    const body = await bodyOf({ data: three, size: 60 }, ({ sentBytes }) => told.push(sentBytes))
    const chunks = (body.open() as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    let given = 0
    for (let count = 0; ; count += 1) {
      const { done, value } = await chunks.next()
      expect(told).toHaveLength(count)
      expect(told.at(-1) ?? 0).toBe(given)
      if (done === true) break
      given += value.byteLength
    }
    expect(told.at(-1)).toBe(body.contentLength)
    expect(told).toEqual(told.toSorted((a, b) => a - b))
  })

  test('has totalBytes only if the size is known', async () => {
    for (const size of [60, undefined]) {
      const told: UploadProgress[] = []
      const body = await bodyOf({ data: three, ...(size === undefined ? {} : { size }) }, (now) => told.push(now))
      const bytes = await collect(body.open() as AsyncIterable<Uint8Array>)
      expect(told.at(-1)).toEqual({
        sentBytes: bytes.length,
        totalBytes: size === undefined ? undefined : bytes.length,
      })
      expect(new Set(told.map(({ totalBytes }) => totalBytes))).toEqual(new Set([body.contentLength]))
    }
  })

  test('starts again at 0 with every opening', async () => {
    const told: number[] = []
    const body = await bodyOf({ data: three }, ({ sentBytes }) => told.push(sentBytes))
    await collect(body.open() as AsyncIterable<Uint8Array>)
    const first = told.splice(0)
    await collect(body.open() as AsyncIterable<Uint8Array>)
    expect(told).toEqual(first)
  })

  test.each([new Error('the window is closed'), undefined, null, 0, ''])(
    'that throws %j stops the body, which keeps what was thrown until it is opened again',
    async (thrown) => {
      let closed = false
      let calls = 0
      async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
        try {
          yield new Uint8Array(10)
          yield new Uint8Array(10)
        } finally {
          closed = true
        }
      }
      const body = await bodyOf({ data: watched }, () => {
        calls += 1
        if (calls === 2) throw thrown
      })
      expect(body.failure).toBeUndefined()
      expect(await rejection(collect(body.open() as AsyncIterable<Uint8Array>))).toBeInstanceOf(Error)
      expect(body.failure).toEqual({ error: thrown })
      expect(body.failure?.error).toBe(thrown)
      expect(closed).toBe(true)
      await collect(body.open() as AsyncIterable<Uint8Array>)
      expect(body.failure).toBeUndefined()
    },
  )
})

describe('a file that differs from its announced size', () => {
  const open = async (source: UploadFile): Promise<AsyncIterable<Uint8Array>> =>
    multipartBody([], 'file', await openUpload(source, 'file')).open() as AsyncIterable<Uint8Array>

  test.each([
    ['more', [Uint8Array.of(1, 2), Uint8Array.of(3)]],
    ['less', [Uint8Array.of(1)]],
    ['less', []],
  ])('holds %s', async (how, chunks) => {
    const error = await rejection(collect(await open({ data: chunked(...chunks), size: 2 })))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code: 'size_mismatch', param: 'file' })
    expect((error as Error).message).toBe(`file: holds ${how} than its size of 2 bytes`)
  })

  // rules: limits.file-size
  test('interface: Limits, one of unknown size stops at 512 MB', async () => {
    const chunk = new Uint8Array(MAX_FILE_BYTES / 8)
    const eight = Array.from({ length: 8 }, () => chunk)
    let bytes = 0
    for await (const piece of await open({ data: chunked(...eight) })) bytes += piece.byteLength
    expect(bytes).toBeGreaterThan(MAX_FILE_BYTES)
    const error = await rejection(collectLength(await open({ data: chunked(...eight, Uint8Array.of(1)) })))
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'file_too_large', param: 'file' })
  })
})

async function collectLength(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const chunk of chunks) bytes += chunk.byteLength
  return bytes
}
