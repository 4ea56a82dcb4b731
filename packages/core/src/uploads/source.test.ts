import { createReadStream } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { collect, rejection } from '../../test/support/clients.ts'
import { ConfigurationError, InvalidRequestError, NotReplayableError } from '../errors.ts'
import { MAX_FILE_BYTES } from '../wire/files.ts'
import { readUpload } from './multipart.ts'
import { nameUpload } from './name.ts'
import { isStream, OCTETS, opener, openUpload, type UploadSource, type UploadStream } from './source.ts'

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

const read = async (source: UploadSource): Promise<Uint8Array> =>
  collect(readUpload(await openUpload(source, 'file'), 'file'))

describe('name, type and size of a source', () => {
  const stream = () => new Blob([BYTES]).stream()

  test.each<[string, UploadSource, object]>([
    ['bytes', BYTES, { name: 'audio', type: 'application/octet-stream', size: 3 }],
    ['a Buffer', Buffer.from(BYTES), { name: 'audio', type: 'application/octet-stream', size: 3 }],
    ['a Blob', new Blob([BYTES], { type: 'audio/wav' }), { name: 'audio.wav', type: 'audio/wav', size: 3 }],
    ['a Blob without type', new Blob([BYTES]), { name: 'audio', type: 'application/octet-stream', size: 3 }],
    ['a File', new File([BYTES], 'a.wav', { type: 'audio/wav' }), { name: 'a.wav', type: 'audio/wav', size: 3 }],
    ['a function', stream, { name: 'audio', type: 'application/octet-stream', size: undefined }],
    ['a stream', stream(), { name: 'audio', type: 'application/octet-stream', size: undefined }],
    [
      'an UploadFile of a stream',
      { data: stream(), name: 'b', type: 'audio/mpeg', size: 3 },
      { name: 'b.mp3', type: 'audio/mpeg', size: 3 },
    ],
    [
      'an UploadFile',
      { data: stream, name: 'b.mp3', type: 'audio/mpeg', size: 3 },
      { name: 'b.mp3', type: 'audio/mpeg', size: 3 },
    ],
    [
      'an UploadFile over a File',
      { data: new File([BYTES], 'a.wav', { type: 'audio/wav' }), name: 'c' },
      { name: 'c.wav', type: 'audio/wav', size: 3 },
    ],
    [
      'a size that contradicts the bytes',
      { data: BYTES, size: 99 },
      { name: 'audio', type: 'application/octet-stream', size: 3 },
    ],
  ])('%s', async (_, source, known) => {
    expect(await openUpload(source, 'file', { nameUpload })).toMatchObject(known)
  })
})

describe('every kind of source yields its bytes', () => {
  async function* generatePieces(): AsyncGenerator<Uint8Array, void, undefined> {
    yield BYTES.subarray(0, 1)
    yield new Uint8Array(0)
    yield BYTES.subarray(1)
  }
  test.each<[string, UploadSource]>([
    ['bytes', BYTES],
    ['a Blob', new Blob([BYTES])],
    ['a web stream', () => new Blob([BYTES]).stream()],
    ['a generator', generatePieces],
    ['a Node stream', () => Readable.from([Buffer.from(BYTES)])],
  ])('%s', async (_, source) => {
    expect([...(await read(source))]).toEqual([1, 2, 3])
    expect([...(await read(source))]).toEqual([1, 2, 3])
  })

  test('an empty upload is valid', async () => {
    expect([...(await read(new Uint8Array(0)))]).toEqual([])
    expect([...(await read(new Blob([])))]).toEqual([])
  })
})

describe('a bare stream', () => {
  const bare: readonly (readonly [string, () => UploadSource])[] = [
    ['of the web', () => new Blob([BYTES]).stream()],
    ['of Node', () => Readable.from([Buffer.from(BYTES)])],
    ['of a generator', () => chunks(1, 2)],
    ['in an UploadFile', () => ({ data: chunks(3), size: 3 })],
  ]
  test.each(bare)('%s is sent once, and is no bytes for a second try', async (_, source) => {
    const file = await openUpload(source(), 'file')
    expect(await collect(readUpload(file, 'file'))).toHaveLength(3)
    const error = await rejection(collect(readUpload(file, 'file')))
    expect(error).toBeInstanceOf(NotReplayableError)
    expect((error as Error).message).toMatch(/^file: /)
  })

  test('that a first attempt did not read is sent by the second', async () => {
    const file = await openUpload(new Blob([BYTES]).stream(), 'file')
    await readUpload(file, 'file').return()
    expect([...(await collect(readUpload(file, 'file')))]).toEqual([1, 2, 3])
  })

  test('that fails before it is read does not end the process, and reading it throws the error', async () => {
    const stream = createReadStream('/nowhere/at-all')
    const file = await openUpload(stream, 'file')
    await new Promise((resolve) => stream.once('close', () => resolve(undefined)))
    const error = await rejection(collect(readUpload(file, 'file')))
    expect(error).toMatchObject({ code: 'unreadable_file', param: 'file', cause: { code: 'ENOENT' } })
  })

  test('with another reader is unreadable', async () => {
    const stream = new Blob([BYTES]).stream()
    stream.getReader()
    const file = await openUpload(stream, 'file')
    expect(await rejection(collect(readUpload(file, 'file')))).toMatchObject({ code: 'unreadable_file' })
  })
})

describe('name and type fit the bytes', () => {
  const wav = Buffer.from('RIFF\u0024\0\0\0WAVEfmt '.padEnd(5000, '\0'))
  const fitting = { name: 'audio.wav', type: 'audio/wav' }

  test.each<[string, UploadSource, object]>([
    ['bytes', wav, fitting],
    ['bytes within others', Buffer.concat([Buffer.from('fLaC'), wav]).subarray(4), fitting],
    ['a Blob', new Blob([wav]), fitting],
    ['a File', new File([wav], 'a.oga'), { name: 'a.wav', type: 'audio/wav' }],
    ['an explicit name', { data: wav, name: 'b.mp3' }, { name: 'b.wav', type: 'audio/wav' }],
    ['an explicit name that fits', { data: wav, name: 'B.WAV' }, { name: 'B.WAV', type: 'audio/wav' }],
    ['a function, which is not opened', () => new Blob([wav]).stream(), { name: 'audio', type: OCTETS }],
    ['a function that is named', { data: () => chunks(1), name: 'c.m4a' }, { name: 'c.m4a', type: 'audio/mp4' }],
    ['a function with a type', { data: () => chunks(1), type: 'audio/ogg' }, { name: 'audio.ogg', type: 'audio/ogg' }],
  ])('of %s', async (_, source, known) => {
    expect(await openUpload(source, 'file', { nameUpload })).toMatchObject(known)
  })

  test.each<[string, UploadSource, object]>([
    ['of bytes', wav, { name: 'audio', type: OCTETS }],
    ['of a File', new File([wav], 'a.oga', { type: 'audio/ogg' }), { name: 'a.oga', type: 'audio/ogg' }],
  ])('%s stay unchanged for a client without nameUpload', async (_, source, known) => {
    expect(await openUpload(source, 'file')).toMatchObject(known)
  })

  test('an unreadable Blob fails at its read, not at its inspection', async () => {
    const gone = new Blob([wav])
    const broken = (): never => {
      throw new Error('gone')
    }
    vi.spyOn(gone, 'slice').mockReturnValue({ arrayBuffer: async () => broken() } as unknown as Blob)
    expect(await openUpload(gone, 'file', { nameUpload })).toMatchObject({ name: 'audio', size: 5000 })
  })
})

describe('an invalid upload throws before the request', () => {
  test.each([
    ['null', null],
    ['a number', 7],
    ['an ArrayBuffer', new ArrayBuffer(3)],
    ['an array', [BYTES]],
    ['a promise of a stream', Promise.resolve(new Blob([BYTES]).stream())],
    ['an UploadFile of nothing', { data: undefined }],
  ])('%s', async (_, source) => {
    const error = await rejection(openUpload(source as unknown as UploadSource, 'file'))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code: 'invalid_type', param: 'file' })
  })

  test.each([-1, 1.5, Number.NaN, Infinity])('a size of %d', async (size) => {
    const error = await rejection(openUpload({ data: () => new Blob([]).stream(), size }, 'file'))
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'invalid_type', param: 'file' })
  })

  test.each(['audio/wav\r\nX-Injected: 1', '', 'audio/wäv'])('a type of %j', async (type) => {
    const error = await rejection(openUpload({ data: BYTES, type }, 'file'))
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'invalid_type', param: 'file' })
  })

  // rules: limits.file-size
  test('interface: Limits, a file known to be over 512 MB', async () => {
    const data = (): ReadableStream<Uint8Array> => new Blob([]).stream()
    await expect(openUpload({ data, size: MAX_FILE_BYTES }, 'file')).resolves.toMatchObject({ size: MAX_FILE_BYTES })
    const error = await rejection(openUpload({ data, size: MAX_FILE_BYTES + 1 }, 'file'))
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'file_too_large', param: 'file' })
  })

  test('a path without access to files', async () => {
    const error = await rejection(openUpload('/tmp/a.wav', 'audio_sample'))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toContain('audio_sample')
  })
})

describe('a source that fails', () => {
  test('is reported with its message, and is the cause', async () => {
    const mine = new Error('the tape is torn')
    const error = await rejection(
      read(async function* fail() {
        yield BYTES
        throw mine
      }),
    )
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'unreadable_file', param: 'file', cause: mine })
    expect((error as Error).message).toBe('file: could not be read: the tape is torn')
  })

  test('is reported when its function throws', async () => {
    const error = await rejection(
      read(() => {
        throw new Error('no stream today')
      }),
    )
    expect((error as Error).message).toBe('file: could not be read: no stream today')
  })

  test('is reported when it breaks as a web stream', async () => {
    const broken = (): ReadableStream<Uint8Array> =>
      new ReadableStream({ pull: (controller) => controller.error(new Error('broken pipe')) })
    expect(await rejection(read(broken))).toMatchObject({ message: 'file: could not be read: broken pipe' })
  })

  test('throws if it is not a stream, or yields anything but bytes', async () => {
    const wrong: unknown[] = [
      () => undefined,
      () => null,
      () => Promise.resolve(new Blob([BYTES]).stream()),
      () => [BYTES],
      () => 'text',
      () => Readable.from(['text'], { encoding: 'utf8' }),
      () => Readable.from([{}]),
    ]
    for (const source of wrong) {
      expect(await rejection(read(source as UploadSource))).toMatchObject({ code: 'invalid_type', param: 'file' })
    }
  })
})

describe('an early end of an upload', () => {
  test('before the first byte opens nothing', async () => {
    let opened = 0
    const file = await openUpload(() => {
      opened += 1
      return new Blob([BYTES]).stream()
    }, 'file')
    await readUpload(file, 'file').return()
    expect(opened).toBe(0)
  })

  test('runs the finally of a generator', async () => {
    let closed = false
    const file = await openUpload(async function* source() {
      try {
        yield BYTES
        yield BYTES
      } finally {
        closed = true
      }
    }, 'file')
    for await (const chunk of readUpload(file, 'file')) {
      if (chunk.length > 0) break
    }
    expect(closed).toBe(true)
  })

  test('ends a web stream during a pending read', async () => {
    let reason: string | undefined
    const silent = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        cancel: () => {
          reason = 'cancelled'
        },
      })
    const upload = readUpload(await openUpload(silent, 'file'), 'file')
    const pending = upload.next()
    await upload.return()
    await expect(pending).resolves.toEqual({ done: true, value: undefined })
    expect(reason).toBe('cancelled')
  })

  test('ends a Node stream during a pending read', async () => {
    const silent = new PassThrough()
    const upload = readUpload(await openUpload(() => silent, 'file'), 'file')
    const pending = rejection(upload.next())
    await upload.return()
    await pending
    expect(silent.destroyed).toBe(true)
  })
})

describe('maxUploadBytes', () => {
  test('a smaller limit refuses a known size at once and an unknown one on the way', async () => {
    const context = { maxUploadBytes: 10 }
    await expect(openUpload(new Uint8Array(11), 'file', context)).rejects.toMatchObject({ code: 'file_too_large' })
    const unknown = await openUpload(() => chunks(6, 5), 'file', context)
    await expect(collect(readUpload(unknown, 'file'))).rejects.toMatchObject({ code: 'file_too_large' })
    const exact = await openUpload(() => chunks(6, 4), 'file', context)
    expect((await collect(readUpload(exact, 'file'))).byteLength).toBe(10)
  })

  test('a larger limit lets more than 512 MB pass', async () => {
    const file = { data: () => chunks(1), size: 600 * 1024 * 1024 }
    await expect(openUpload(file, 'file')).rejects.toMatchObject({ code: 'file_too_large' })
    expect(await openUpload(file, 'file', { maxUploadBytes: 1024 ** 3 })).toMatchObject({ size: file.size })
  })
})

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const size of sizes) yield new Uint8Array(size)
}

describe('bytes of another realm, as simulated browsers of tests have them', () => {
  afterEach(() => void vi.unstubAllGlobals())

  /** A class of jsdom: it has the name and the methods of `Blob`, and is no `Blob` of Node. */
  class PageBlob {
    readonly size = 3
    readonly type = 'audio/wav'
    readonly #methods: object
    constructor(methods: object) {
      this.#methods = methods
      Object.assign(this, methods)
    }
    get [Symbol.toStringTag](): string {
      return 'File'
    }
    get name(): string {
      return 'a.wav'
    }
    slice(): PageBlob {
      return new PageBlob(this.#methods)
    }
  }
  /** The only reader of a `Blob` in jsdom 26. */
  class PageReader extends EventTarget {
    result: ArrayBuffer | undefined
    readAsArrayBuffer(): void {
      this.result = BYTES.slice().buffer
      this.dispatchEvent(new Event('load'))
    }
  }
  const open = async (source: unknown): Promise<number[]> => {
    const opened = await openUpload(source as UploadSource, 'file', { nameUpload })
    return [...(await collect(readUpload(opened, 'file')))]
  }

  test('a Uint8Array is sent, alone and as a chunk of a stream', async () => {
    const foreign: unknown = runInNewContext('new Uint8Array([1, 2, 3])')
    expect(foreign).not.toBeInstanceOf(Uint8Array)
    expect(await open(foreign)).toEqual([1, 2, 3])
    expect(await open({ data: foreign, name: 'a.wav' })).toEqual([1, 2, 3])
    expect(await open(Readable.from([foreign]))).toEqual([1, 2, 3])
    expect(await rejection(open(runInNewContext('new Uint16Array([1])')))).toBeInstanceOf(InvalidRequestError)
  })

  test('a File without stream(), as of jsdom 29, is sent with its name and type', async () => {
    const file = new PageBlob({ arrayBuffer: async () => BYTES.slice().buffer })
    expect(await open(file)).toEqual([1, 2, 3])
    const { name, type, size } = await openUpload(file as unknown as UploadSource, 'file')
    expect({ name, type, size }).toEqual({ name: 'a.wav', type: 'audio/wav', size: 3 })
  })

  test("a File without arrayBuffer(), as of jsdom 26, is read by the page's FileReader", async () => {
    vi.stubGlobal('FileReader', PageReader)
    expect(await open(new PageBlob({}))).toEqual([1, 2, 3])
  })

  test('a File that nothing can read is refused with the reason', async () => {
    expect(await rejection(open(new PageBlob({})))).toMatchObject({
      code: 'unreadable_file',
      message: expect.stringContaining('has neither stream() nor arrayBuffer()'),
    })
  })
})
