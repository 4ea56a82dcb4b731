import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { packTar, type TarEntry } from 'modern-tar'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { model as graphOf } from '@svc-audio/kit/engine-fixtures/onnx.ts'
import { readEnginesFile } from '../../engines-file/read.ts'
import type { CatalogueModel } from './catalogue.ts'
import { addModel, agreement, type EntryOptions, listCatalogue, listModels, removeModel } from './models.ts'
import type { ModelSurroundings } from './source.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-models-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const dataDir = () => join(folder, 'data')
const models = () => readdir(join(dataDir(), 'models'))
const file = (name: string, body: string | Uint8Array): TarEntry => ({
  header: { name, size: body.length, type: 'file', mtime: new Date(0) },
  body,
})
const tar = async (...entries: TarEntry[]): Promise<Buffer> => Buffer.from(await packTar(entries))
const graph = (metadata: Record<string, string | number> = {}) =>
  graphOf({ input: [], output: [], initializer: [], node: [] }, metadata)
const AMY = { comment: 'piper', voice: 'en-us', n_speakers: 1, sample_rate: 22_050 }
/** An archive as sherpa-onnx publishes voices of Piper. */
const whole = () =>
  tar(
    file('piper-amy/en_US-amy-low.onnx', graph(AMY)),
    file('piper-amy/tokens.txt', '_ 0'),
    file('piper-amy/espeak-ng-data/phontab', 'x'),
  )
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function stored(bytes: Uint8Array, name = 'piper-amy.tar'): Promise<string> {
  await writeFile(join(folder, name), bytes)
  return join(folder, name)
}

async function add(
  source: string,
  more: object = {},
  surroundings: ModelSurroundings = {},
  options: EntryOptions = {},
): Promise<string> {
  return addModel(dataDir(), { source, ...more }, { pause: 1, ...surroundings }, options)
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
    if (ending === '.tar.bz2') return
    expect(said).toContain(
      '  piper-amy:\n    driver: sherpa-onnx\n    family: piper\n    model: piper-amy\n    voices:\n      - { id: amy, language: en }\n',
    )
  })

  test('with the given checksum is added, and with another one it is not', async () => {
    const bytes = await whole()
    const path = await stored(bytes)
    await expect(add(path, { sha256: '0'.repeat(64) })).rejects.toThrow(
      `The file has another checksum: ${sha256(bytes)}. It was not added`,
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
    const parts = [file('m/a', new Uint8Array(9000)), file('m/b', 'x')]
    const bytes = await tar(...parts)
    const halves: [string, Buffer][] = [
      ['cut.tgz', gzipSync(bytes)],
      ['cut.tar', bytes],
      ['cut.tar.bz2', Buffer.from(BZIP2, 'base64')],
    ]
    for (const [name, archive] of halves) {
      const half = await stored(archive.subarray(0, Math.floor(archive.length / 2)), name)
      await expect(add(half)).rejects.toThrow(
        /^The archive is (?:cut: it ends too early|broken \(.+\))\. Copy or download it again$/,
      )
    }
    expect(await models()).toEqual([])
  })

  test('with a name that is too long for the disk is refused in words', async () => {
    const long = `m/${'a'.repeat(300)}`
    await expect(add(await stored(await tar(file('m/b', 'x'), file(long, 'x')), 'long.tar'))).rejects.toThrow(
      /a… has a name that is too long for this disk: shorten it$/,
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
  expect(await add(join(folder, 'amy'))).toMatch(
    /^Added amy, 0\.0 MB\n\nIt has no entry: The files of .*amy fit no family/,
  )
  expect(await contentOf('amy', 'amy.onnx')).toBe('graph')
  await expect(add(join(folder, 'amy'), { name: 'b', sha256: '0'.repeat(64) })).rejects.toThrow('source is a folder')
})

test.each<[what: string, make: (source: string) => Promise<unknown>, message: RegExp]>([
  [
    'a link to itself',
    (source) => symlink(join(source, 'loop'), join(source, 'loop')),
    /loop is a link that leads to itself: remove it$/,
  ],
  [
    'a link to a folder around it',
    (source) => symlink(source, join(source, 'inner/up')),
    /up is a link to a folder around it: remove it$/,
  ],
  [
    'a pipe',
    async (source) => execFileSync('mkfifo', [join(source, 'pipe')]),
    /pipe is no file with bytes: remove it from the folder$/,
  ],
])('a folder with %s is refused in one line', async (_what, make, message) => {
  const source = join(folder, 'amy')
  await mkdir(join(source, 'inner'), { recursive: true })
  await make(source)
  await expect(add(source)).rejects.toThrow(message)
  expect(await models()).toEqual([])
})

test.each<[what: string, source: () => string | Promise<string>, message: RegExp]>([
  ['a name that is too long', () => 'a'.repeat(300), /a… has a name that is too long for this disk/],
  ['a path to nothing', () => join(folder, 'none'), /none does not exist: correct the path$/],
  [
    'no name of the catalogue',
    () => 'moonshine-bas-en',
    /no name of the catalogue: see models list --available; did you mean moonshine-base-en\?$/,
  ],
  [
    'a pipe',
    () => {
      execFileSync('mkfifo', [join(folder, 'pipe')])
      return join(folder, 'pipe')
    },
    /pipe is no folder and no file with bytes/,
  ],
  [
    'a link to itself',
    async () => {
      await symlink(join(folder, 'loop'), join(folder, 'loop'))
      return join(folder, 'loop')
    },
    /loop is a link that leads to itself/,
  ],
  ['the folder around the data folder', () => folder, /holds the data folder: name the folder of the model$/],
])('%s is refused in one line', async (_what, source, message) => {
  await mkdir(join(dataDir(), 'models'), { recursive: true })
  await expect(add(await source(), { name: 'x' })).rejects.toThrow(message)
})

test('a voice as Piper publishes it gets the files that sherpa-onnx needs, and its entry is read unchanged', async () => {
  const other = join(dataDir(), 'models/other/espeak-ng-data')
  await mkdir(other, { recursive: true })
  await writeFile(join(other, 'phontab'), 'x')
  const path = await stored(graph(), 'de_DE-thorsten-medium.onnx')
  const voice = {
    audio: { sample_rate: 22_050 },
    espeak: { voice: 'de' },
    language: { name_english: 'German' },
    phoneme_id_map: { _: [0], '^': [1] },
  }
  await stored(Buffer.from(JSON.stringify(voice)), 'de_DE-thorsten-medium.onnx.json')
  const said = await add(path, { name: 'thorsten' })
  expect(said).toContain('      - { id: thorsten, language: de }\n')
  expect(await contentOf('thorsten', 'tokens.txt')).toBe('_ 0\n^ 1\n')
  const entry = await stored(Buffer.from(said.slice(said.indexOf('\nengines:'))), 'engines.yaml')
  const { engines } = await readEnginesFile(entry, { dataDir: dataDir() })
  expect(engines.map(({ parts }) => parts.speech?.voices)).toEqual([
    [{ id: 'thorsten', name: 'thorsten', language: 'de' }],
  ])
})

test.each<[what: string, typed: string, answer: boolean]>([
  ['a yes', 'y\n', true],
  ['nothing but the key of the line', '\n', true],
  ['a no', 'n\n', false],
  ['the end of the input', '', false],
])('the question is answered with %s', async (_what, typed, answer) => {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const answered = agreement(false, input, new PassThrough().resume())('Write it?')
  input.end(typed)
  expect(await answered).toBe(answer)
})

describe('the file of engines', () => {
  const path = () => join(folder, 'engines.yaml')
  const yes = { agree: async () => true }

  test('gets each entry after a yes, keeps its comments, and no two voices have one id', async () => {
    await writeFile(path(), '# ours\nengines:\n  last-resort:\n    driver: espeak-ng # a program\n')
    const source = await stored(await whole())
    for (const name of ['first', 'second']) {
      expect(await add(source, { name }, {}, { enginesFile: path(), ...yes })).toContain(
        `Wrote the engine ${name} into`,
      )
    }
    expect(await readFile(path(), 'utf8')).toBe(`# ours
engines:
  last-resort:
    driver: espeak-ng # a program
  first:
    driver: sherpa-onnx
    family: piper
    model: first
    voices:
      - { id: amy, language: en }
  second:
    driver: sherpa-onnx
    family: piper
    model: second
    voices:
      - { id: amy-2, language: en }
`)
    const { engines } = await readEnginesFile(path(), { dataDir: dataDir() })
    expect(engines.map(({ name }) => name)).toEqual(['last-resort', 'first', 'second'])
  })

  test('keeps its mode, and a link to it stays a link', async () => {
    const linked = join(folder, 'linked.yaml')
    await writeFile(linked, '# ours\nengines:\n  last-resort:\n    driver: espeak-ng\n', { mode: 0o600 })
    await symlink(linked, path())
    await add(await stored(await whole()), {}, {}, { enginesFile: path(), ...yes })
    expect((await lstat(path())).isSymbolicLink()).toBe(true)
    expect((await stat(linked)).mode & 0o777).toBe(0o600)
    expect(await readFile(linked, 'utf8')).toMatch(/^# ours\n[^]*family: piper/)
  })

  test.each(['[espeak-ng]', 'engines', '{'])('with %s stays as it is', async (text) => {
    await writeFile(path(), text)
    await expect(add(await stored(await whole()), {}, {}, { enginesFile: path(), ...yes })).rejects.toThrow(
      /engines\.yaml is no file of engines in YAML or JSON: correct it first$/,
    )
    expect(await readFile(path(), 'utf8')).toBe(text)
  })

  test('is made, as JSON too', async () => {
    const json = join(folder, 'engines.json')
    await add(await stored(await whole()), {}, {}, { enginesFile: json, ...yes })
    expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({ engines: { 'piper-amy': { family: 'piper' } } })
  })

  test('stays as it is after a no, and the entry is printed', async () => {
    const questions: string[] = []
    const agree = async (question: string): Promise<boolean> => {
      questions.push(question)
      return false
    }
    const said = await add(await stored(await whole()), {}, {}, { enginesFile: path(), agree })
    expect(said).toContain('family: piper')
    expect(questions[0]).toContain(`Write it into ${path()}?`)
    await expect(readFile(path())).rejects.toThrow('ENOENT')
  })

  test('stays as it is when it has a mistake', async () => {
    const wrong = 'engines:\n  a:\n    driver: espeakng\n'
    await writeFile(path(), wrong)
    await expect(add(await stored(await whole()), {}, {}, { enginesFile: path(), ...yes })).rejects.toThrow(
      /^Nothing was written, since .*engines\.yaml would have a mistake:\n.*engines\.yaml:3: engines\.a\.driver/,
    )
    expect(await readFile(path(), 'utf8')).toBe(wrong)
    expect((await readdir(folder)).toSorted()).toEqual(['data', 'engines.yaml', 'piper-amy.tar'])
  })

  test('gets a model that finds speech as a key of each engine that listens', async () => {
    const ctc = await tar(
      file('ctc/model.onnx', graph({ normalize_type: '', subsampling_factor: 4 })),
      file('ctc/tokens.txt', 'a 0'),
    )
    const options = { enginesFile: path(), ...yes }
    await add(await stored(await whole()), {}, {}, options)
    await add(await stored(ctc, 'ctc.tar'), {}, {}, options)
    const vad = await stored(graph({ model_type: 'silero-vad-v4' }), 'silero_vad.onnx')
    expect(await add(vad, {}, {}, options)).toContain('Wrote vad of ctc into')
    expect(await readFile(path(), 'utf8')).toMatch(/family: nemo-ctc\n {4}model: ctc\n {4}vad: silero_vad\n$/)
    await expect(add(vad, { name: 'again' }, {}, options)).rejects.toThrow(
      /no engine of sherpa-onnx that listens and lacks vad/,
    )
  })
})

describe('the catalogue', () => {
  const amy = async (): Promise<CatalogueModel> => {
    const bytes = await whole()
    await mkdir(join(folder, 'mirror'), { recursive: true })
    await stored(bytes, 'mirror/vits-amy.tar')
    return {
      name: 'piper-amy',
      url: 'https://models.example/tts/vits-amy.tar',
      bytes: bytes.length,
      sha256: sha256(bytes),
      license: 'CC0-1.0',
      languages: ['en'],
      goodFor: 'tests',
      gender: 'female',
    }
  }

  test('adds a model by its name from a mirror, compares its checksum, and tells its license', async () => {
    const catalogue = [await amy()]
    const mirror = join(folder, 'mirror')
    const said = await add('piper-amy', { mirror }, { catalogue })
    expect(said).toContain(`sha256 ${catalogue[0]?.sha256} (as in the catalogue)\nlicense CC0-1.0\n`)
    expect(said).toContain('- { id: amy, language: en, gender: female }')
    expect(await listCatalogue(dataDir(), {}, catalogue)).toMatch(
      /piper-amy \(added\) +0\.\d MB +en +[\da-f]{8}… +CC0-1\.0 +tests/,
    )
    await writeFile(join(mirror, 'vits-amy.tar'), await tar(file('m/a', 'x')))
    await expect(add('piper-amy', { mirror, name: 'b' }, { catalogue })).rejects.toThrow('another checksum')
    expect(await models()).toEqual(['piper-amy'])
  })

  test('a mirror may be an address, and lacks only what the catalogue has', async () => {
    const catalogue = [await amy()]
    const bytes = await whole()
    const asked: (string | undefined)[] = []
    const server = createServer((request, response) => {
      asked.push(request.url)
      response.end(bytes)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}/models`
    await add('piper-amy', { mirror }, { catalogue })
    server.close()
    expect(asked).toEqual(['/models/vits-amy.tar'])
    await expect(add(folder, { mirror }, { catalogue })).rejects.toThrow('--mirror has files of the catalogue')
  })

  test('a mirror without the file is an error with its path', async () => {
    const catalogue = [await amy()]
    await rm(join(folder, 'mirror/vits-amy.tar'))
    await expect(add('piper-amy', { mirror: join(folder, 'mirror') }, { catalogue })).rejects.toThrow(
      /mirror\/vits-amy\.tar does not exist: correct the path$/,
    )
  })

  test('every entry has its size, license and languages, and a checksum of 64 digits', async () => {
    const listed: unknown = JSON.parse(await listCatalogue(dataDir(), { json: true }))
    expect(Array.isArray(listed) ? listed.length : 0).toBeGreaterThan(12)
    for (const one of Array.isArray(listed) ? listed : []) {
      expect(one).toMatchObject({
        url: expect.stringMatching(/^https:\/\/github\.com\/k2-fsa\//),
        bytes: expect.any(Number),
        sha256: expect.stringMatching(/^[\da-f]{64}$/),
        license: expect.stringMatching(/./),
        added: false,
      })
    }
  })
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
    expect(await contentOf('piper-amy', 'tokens.txt')).toBe('_ 0')
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

  test('that redirects to an address without TLS needs a checksum', async () => {
    respond = (_request, response) => response.writeHead(302, { location: 'http://models.example/amy.tar' }).end()
    await expect(add(url)).rejects.toThrow(
      /^127\.0\.0\.1:\d+ redirects to models\.example, which has no TLS: give the checksum of the file with --sha256/,
    )
    const bytes = await whole()
    respond = (request, response) =>
      request.url === '/b' ? response.end(bytes) : response.writeHead(302, { location: '/b' }).end()
    expect(await add(url)).toContain('Added piper-amy')
    respond = (_request, response) => response.writeHead(302, { location: url }).end()
    await expect(add(url, { name: 'again' })).rejects.toThrow('redirects again and again')
  })

  test.runIf(existsSync('/dev/full'))('whose file does not fit on the disk says so at once', async () => {
    const bytes = await whole()
    let requests = 0
    respond = (_request, response) => {
      requests += 1
      response.end(bytes)
    }
    const downloads = join(dataDir(), 'models/.downloads')
    await mkdir(downloads, { recursive: true })
    await symlink('/dev/full', join(downloads, sha256(Buffer.from(url)).slice(0, 24)))
    await expect(add(url)).rejects.toThrow(/has no room: the disk is full$/)
    expect(requests).toBe(1)
  })

  test('where nothing listens says so, and that a mirror needs no internet', async () => {
    server.close()
    await expect(add(url)).rejects.toThrow(
      /^127\.0\.0\.1:\d+ cannot be reached: nothing listens there\. Check the address and the port\. .* --mirror$/,
    )
    await expect(add('https://models.invalid/a.tar')).rejects.toThrow(
      /^models\.invalid cannot be reached: (?:there is no machine of this name|names are not resolved)/,
    )
  })

  test('of a graph is added with the description beside it', async () => {
    const asked: (string | undefined)[] = []
    respond = (request, response) => {
      asked.push(request.url)
      response.end(request.url?.includes('.json') ? '{}' : graph(AMY))
    }
    await add(url.replace('.tar', '.onnx'))
    expect(asked).toEqual(['/models/piper-amy.onnx?token=secret', '/models/piper-amy.onnx.json?token=secret'])
    expect((await readdir(join(dataDir(), 'models/piper-amy'))).toSorted()).toEqual([
      'piper-amy.onnx',
      'piper-amy.onnx.json',
      'svc-audio-model.json',
    ])
    respond = (request, response) =>
      request.url?.includes('.json') ? response.writeHead(404).end() : response.end(graph(AMY))
    await add(url.replace('.tar', '.onnx'), { name: 'alone' })
    expect(await models()).toContain('alone')
  })

  test.each([
    [
      'cannot be sent',
      (response: ServerResponse) => response.writeHead(500).end(),
      /does not send the file to its end/,
    ],
    [
      'comes from a place without TLS',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://models.example/a.json' }).end(),
      /redirects to models\.example, which has no TLS/,
    ],
  ])('of a graph whose description %s is not added without it', async (_why, description, message) => {
    respond = (request, response) => (request.url?.includes('.json') ? description(response) : response.end(graph(AMY)))
    await expect(add(url.replace('.tar', '.onnx'))).rejects.toThrow(message)
    expect(existsSync(join(dataDir(), 'models/piper-amy'))).toBe(false)
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
