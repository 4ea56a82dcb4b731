import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar, type TarEntry } from 'modern-tar'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addModel, listModels, type ModelSurroundings, removeModel } from './models.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-models-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const dataDir = () => join(folder, 'data')
const models = () => readdir(join(dataDir(), 'models'))
const file = (name: string, body: string): TarEntry => ({
  header: { name, size: body.length, type: 'file', mtime: new Date(0) },
  body,
})
const tar = async (...entries: TarEntry[]): Promise<Buffer> => Buffer.from(await packTar(entries))
const whole = () => tar(file('piper-amy/amy.onnx', 'graph'), file('piper-amy/tokens.txt', '_ 0'))
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function stored(bytes: Uint8Array, name = 'piper-amy.tar'): Promise<string> {
  await writeFile(join(folder, name), bytes)
  return join(folder, name)
}

async function add(source: string, more: object = {}, surroundings: ModelSurroundings = {}): Promise<string> {
  return addModel(dataDir(), { source, ...more }, { pause: 1, ...surroundings })
}

const contentOf = (model: string, name: string) => readFile(join(dataDir(), 'models', model, name), 'utf8')

describe('an archive', () => {
  test.each([
    ['.tar', (bytes: Buffer) => bytes],
    ['.tar.gz', (bytes: Buffer) => gzipSync(bytes)],
    ['.tgz', (bytes: Buffer) => gzipSync(bytes)],
    // `bzip2 -9` of a tar with the one file piper-amy/tokens.txt.
    ['.tar.bz2', () => Buffer.from(BZIP2, 'base64')],
  ])('that ends in %s is added under its name, with its checksum and its entry', async (ending, pack) => {
    const bytes = pack(await whole())
    const said = await add(await stored(bytes, `piper-amy${ending}`))
    expect(await contentOf('piper-amy', 'tokens.txt')).toBe('_ 0')
    expect(said).toContain(`sha256 ${sha256(bytes)}`)
    expect(said).toContain('  piper-amy:\n    driver: sherpa-onnx\n    family: piper\n    model: piper-amy\n')
  })

  test('with the given checksum is added, and with another one it is not', async () => {
    const bytes = await whole()
    const path = await stored(bytes)
    await expect(add(path, { sha256: '0'.repeat(64) })).rejects.toThrow(
      `The archive has another checksum: ${sha256(bytes)}. It was not added`,
    )
    expect(await models()).toEqual([])
    expect(await add(path, { sha256: sha256(bytes).toUpperCase() })).toContain('(as given)')
  })

  test('without a folder of its own is added too', async () => {
    await add(await stored(await tar(file('a.onnx', 'x'), file('tokens.txt', '_ 0')), 'flat.tar'))
    expect(await contentOf('flat', 'a.onnx')).toBe('x')
  })

  const link = (name: string, linkname: string, type: 'symlink' | 'link' = 'symlink'): TarEntry => ({
    header: { name, linkname, type, size: 0 },
  })
  test.each<[what: string, entries: TarEntry[], message: RegExp]>([
    ['a path upwards', [file('../evil', 'x')], /a path that leaves its folder: "\.\.\/evil"/],
    ['a path upwards in the middle', [file('m/../../evil', 'x')], /leaves its folder/],
    ['an absolute path', [file('/tmp/evil', 'x')], /leaves its folder/],
    ['a path with backslashes', [file('..\\evil', 'x')], /leaves its folder/],
    ['a path of a drive', [file('C:\\evil', 'x')], /leaves its folder/],
    ['a link upwards', [file('m/a', 'x'), link('m/l', '../../etc/passwd')], /leaves its folder/],
    ['an absolute link', [file('m/a', 'x'), link('m/l', '/etc/passwd')], /leaves its folder: "m\/l"/],
    ['a hard link upwards', [file('m/a', 'x'), link('m/l', '../a', 'link')], /leaves its folder/],
    ['a link to a folder', [file('m/d/a', 'x'), link('m/l', 'd')], /a link to no file of it: "m\/l"/],
    [
      'a file behind a link',
      [file('m/a', 'x'), link('m/l', '.'), file('m/l/b', 'x')],
      /a link to no file of it|broken/,
    ],
    ['a device', [{ header: { name: 'm/null', type: 'character-device', size: 0 } }], /an entry that is no file/],
    ['no file', [{ header: { name: 'm/', type: 'directory', size: 0 } }], /The archive has no files/],
  ])('with %s is refused, and leaves nothing', async (_what, entries, message) => {
    await expect(add(await stored(await tar(...entries), 'bad.tar'))).rejects.toThrow(message)
    expect(await models()).toEqual([])
    expect(await readdir(folder)).toEqual(['bad.tar', 'data'])
  })

  test('with links to its own files has copies of them', async () => {
    await add(await stored(await tar(file('m/a', 'x'), link('m/b/l', '../a'), link('m/h', 'm/a', 'link')), 'm.tar'))
    expect(await contentOf('m', 'b/l')).toBe('x')
    expect(await contentOf('m', 'h')).toBe('x')
    const entries = await readdir(join(dataDir(), 'models', 'm'), { recursive: true, withFileTypes: true })
    expect(entries.filter((entry) => entry.isSymbolicLink())).toEqual([])
  })

  test('beyond a limit of bytes or entries is refused', async () => {
    const path = await stored(await whole())
    await expect(add(path, {}, { limits: { bytes: 7, entries: 9 } })).rejects.toThrow('more than 7 bytes of files')
    await expect(add(path, {}, { limits: { bytes: 99, entries: 1 } })).rejects.toThrow('more than 1 entries')
    expect(await models()).toEqual([])
  })

  test('that is cut is refused as broken', async () => {
    const bytes = gzipSync(await whole())
    await expect(add(await stored(bytes.subarray(0, bytes.length - 20), 'cut.tgz'))).rejects.toThrow(
      'The archive is broken',
    )
    expect(await models()).toEqual([])
  })

  test('that is none is refused with the kinds that are read', async () => {
    await expect(add(await stored(Buffer.from('<html>'), 'page.tar'))).rejects.toThrow(
      /is no archive of the kinds \.tar, \.tar\.gz/,
    )
  })
})

test('a folder is copied with the files that its links name', async () => {
  await mkdir(join(folder, 'amy', 'data'), { recursive: true })
  await writeFile(join(folder, 'outside.onnx'), 'graph')
  await symlink(join(folder, 'outside.onnx'), join(folder, 'amy', 'amy.onnx'))
  expect(await add(join(folder, 'amy'))).toMatch(/^Added amy, 0\.0 MB\n\nIts entry/)
  expect(await contentOf('amy', 'amy.onnx')).toBe('graph')
  await expect(add(join(folder, 'amy'), { name: 'b', sha256: '0'.repeat(64) })).rejects.toThrow('source is a folder')
})

test('models are listed and removed, and a name is used once', async () => {
  const path = await stored(await whole())
  expect(await listModels(dataDir(), {})).toBe('No models. Add one with models add.\n')
  await add(path)
  await add(path, { name: 'second' })
  await expect(add(path)).rejects.toThrow('The model piper-amy exists: remove it, or choose another --name')
  expect(await listModels(dataDir(), {})).toMatch(/^NAME .*\npiper-amy .*piper-amy\.tar\nsecond /)
  const listed: unknown = JSON.parse(await listModels(dataDir(), { json: true }))
  expect(listed).toMatchObject([{ name: 'piper-amy', sha256: sha256(await whole()) }, { name: 'second' }])
  expect(await removeModel(dataDir(), 'second')).toContain('Removed second')
  expect(await models()).toEqual(['piper-amy'])
  await expect(removeModel(dataDir(), 'second')).rejects.toThrow('There is no model second: see models list')
})

test.each(['..', '../data', 'a/b', '.hidden', ''])('%j is no name of a model', async (name) => {
  await expect(add(await stored(await whole()), { name })).rejects.toThrow(/is no name of a model/)
  await expect(removeModel(dataDir(), name)).rejects.toThrow(/is no name of a model/)
})

describe('an address', () => {
  let server: Server
  let respond: (request: IncomingMessage, response: ServerResponse, count: number) => void
  let ranges: (string | undefined)[]
  let url: string
  /** Cuts the connection once the client has stored what was sent. */
  let cut: (() => void) | undefined
  beforeEach(async () => {
    ranges = []
    cut = undefined
    server = createServer((request, response) => {
      ranges.push(request.headers.range)
      respond(request, response, ranges.length)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/models/piper-amy.tar?token=secret`
  })
  afterEach(() => {
    server.close()
    server.closeAllConnections()
  })

  /** Serves the bytes with a validator and ranges, up to the given byte. */
  const serve = (bytes: Buffer, tag = '"1"', max = Infinity) =>
    function send(request: IncomingMessage, response: ServerResponse): void {
      const resumes = request.headers.range !== undefined && request.headers['if-range'] === tag
      const from = resumes ? Number(/\d+/.exec(request.headers.range ?? '')?.[0]) : 0
      const head = { etag: tag, 'content-length': bytes.length - from }
      const range = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }
      response.writeHead(resumes ? 206 : 200, resumes ? { ...head, ...range } : head)
      if (from + max >= bytes.length) response.end(bytes.subarray(from))
      else {
        cut = () => response.destroy()
        response.write(bytes.subarray(from, from + max))
      }
    }

  const onProgress = () => cut?.()

  test('is downloaded with its progress, and its query is not stored', async () => {
    const bytes = await whole()
    respond = serve(bytes)
    const seen: number[] = []
    const said = await add(url, {}, { onProgress: ({ received }) => seen.push(received) })
    expect(said).toContain(`sha256 ${sha256(bytes)}`)
    expect(seen.at(-1)).toBe(bytes.length)
    expect(await contentOf('piper-amy', 'svc-audio-model.json')).not.toContain('secret')
    expect(await readdir(join(dataDir(), 'models', '.downloads'))).toEqual([])
  })

  test('that is cut again and again goes on where it stopped', async () => {
    const bytes = await whole()
    respond = serve(bytes, '"1"', 700)
    await add(url, {}, { onProgress })
    expect(await contentOf('piper-amy', 'amy.onnx')).toBe('graph')
    expect(ranges.slice(0, 3)).toEqual([undefined, 'bytes=700-', 'bytes=1400-'])
  })

  test('that has another file by now is downloaded from its start', async () => {
    const bytes = await whole()
    respond = (request, response, count) =>
      count === 1
        ? serve(Buffer.alloc(5000), '"old"', 600)(request, response)
        : serve(bytes, '"new"')(request, response)
    expect(await add(url, {}, { onProgress })).toContain(`sha256 ${sha256(bytes)}`)
    expect(ranges).toEqual([undefined, 'bytes=600-'])
  })

  test('that never ends is an error with the remedy, and the next command goes on', async () => {
    const bytes = await whole()
    respond = (request, response, count) =>
      count === 1 ? serve(bytes, '"1"', 512)(request, response) : response.destroy()
    await expect(add(url, {}, { onProgress })).rejects.toThrow(
      /does not send the file to its end\. Run the command again/,
    )
    const tries = ranges.length
    respond = serve(bytes)
    await add(url)
    expect(ranges[tries]).toBe('bytes=512-')
  })

  test('that answers 404 is an error that is not repeated', async () => {
    respond = (_request, response) => response.writeHead(404).end()
    await expect(add(url)).rejects.toThrow('answered 404: check the address')
    expect(ranges).toHaveLength(1)
  })

  test('of a file that is too large is refused', async () => {
    respond = serve(Buffer.alloc(4096))
    await expect(add(url, {}, { mostBytes: 1000 })).rejects.toThrow(
      'The file has 4096 bytes: at most 1000 are downloaded',
    )
    respond = (_request, response) => response.writeHead(200).end(Buffer.alloc(4096))
    await expect(add(url, {}, { mostBytes: 1000 })).rejects.toThrow('The file has more than 1000 bytes')
  })

  test('without TLS on another machine needs a checksum', async () => {
    await expect(add('http://models.example/a.tar')).rejects.toThrow(/models\.example has no TLS: give the checksum/)
    expect(ranges).toEqual([])
  })
})

const BZIP2 =
  'QlpoOTFBWSZTWffZCAwAAIF/kMmAAEDAA++AAAQAAOIr3mAEAAAIIAB1DUQxA0eo0xA0PRBJSNAA0AABp0PZS2FCCBqQkOa5g7qeSRAhgmBi3v5xGhAiwkhFYJsIFFik0TB8jBy8U8WD3ta3OOdopyZzzfgkg/F3JFOFCQ99kIDA'
