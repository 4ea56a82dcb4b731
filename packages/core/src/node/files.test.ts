import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream, writeSync } from 'node:fs'
import {
  chmod,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { collect, rejection } from '../../test/support/clients.ts'
import { InvalidRequestError } from '../errors.ts'
import { readUpload } from '../uploads/multipart.ts'
import { createFile, nodeFiles, readChunks } from './files.ts'
import { giveBackWritten } from './sockets.ts'

/** The user who owns nothing. */
const NOBODY = 65_534

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-files-'))
})

afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

describe('opening for upload', () => {
  test('has name and size, and each open reads the bytes again', async () => {
    const path = join(folder, 'a b.wav')
    const bytes = Buffer.alloc(700_000, 'svc')
    await writeFile(path, bytes)
    const file = await nodeFiles.open(path, 'file')
    expect(file).toMatchObject({ name: 'a b.wav', size: bytes.length, type: 'application/octet-stream' })
    expect(file.head).toEqual(new Uint8Array(bytes.subarray(0, 4096)))
    expect(await collect(file.open())).toEqual(bytes)
    expect(await collect(file.open())).toEqual(bytes)
  })

  test('an empty file has no bytes', async () => {
    await writeFile(join(folder, 'empty'), '')
    const file = await nodeFiles.open(join(folder, 'empty'), 'file')
    expect(file.size).toBe(0)
    expect(file.head).toHaveLength(0)
    expect(await collect(file.open())).toHaveLength(0)
  })

  test('a file that grows in the meantime is read up to its announced size', async () => {
    const path = join(folder, 'a.wav')
    await writeFile(path, 'announced')
    const file = await nodeFiles.open(path, 'file')
    const more = createWriteStream(path, { flags: 'a' })
    await new Promise((resolve) => more.end(' and more', () => resolve(undefined)))
    expect(Buffer.from(await collect(file.open())).toString()).toBe('announced')
  })

  test('a file that shrinks in the meantime yields its remaining bytes', async () => {
    const path = join(folder, 'a.wav')
    await writeFile(path, 'announced')
    const file = await nodeFiles.open(path, 'file')
    await truncate(path, 3)
    expect(Buffer.from(await collect(file.open())).toString()).toBe('ann')
  })

  test('a file that vanishes in the meantime is unreadable, and the error has its path', async () => {
    const path = join(folder, 'a.wav')
    await writeFile(path, 'announced')
    const file = await nodeFiles.open(path, 'file')
    await rm(path)
    const error = await rejection(collect(readUpload({ ...file, maxBytes: 1000 }, 'file')))
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'unreadable_file', param: 'file' })
    expect((error as Error).message).toContain(path)
  })

  test('a file that may not be read is refused', async () => {
    const path = join(folder, 'a.wav')
    await writeFile(path, 'secret', { mode: 0 })
    await chmod(folder, 0o755)
    // Root may read everything, so that this user has to be another one for this test.
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(NOBODY)
    const error = await rejection(nodeFiles.open(path, 'file')).finally(() => isRoot && process.seteuid?.(0))
    expect(error).toMatchObject({ code: 'unreadable_file', param: 'file' })
  })

  test.skipIf(process.platform === 'win32')(
    'a pipe is refused at once, though opening it would wait for a writer',
    async () => {
      const pipe = join(folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      expect(await rejection(nodeFiles.open(pipe, 'file'))).toMatchObject({ code: 'not_a_file', param: 'file' })
    },
  )

  test.each([
    ['nothing', (path: string) => rm(path, { force: true }), 'unreadable_file', 'does not exist'],
    ['a folder', (path: string) => mkdir(path), 'not_a_file', 'is not a file'],
    ['a link to nothing', (path: string) => symlink('/nowhere/at-all', path), 'unreadable_file', 'does not exist'],
  ])('%s is refused', async (_, make, code, message) => {
    const path = join(folder, 'target')
    await make(path)
    const error = await rejection(nodeFiles.open(path, 'audio_sample'))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code, param: 'audio_sample' })
    expect((error as Error).message).toContain(message)
  })
})

describe('creating a file', () => {
  test('appears under its name only after the commit, and replaces an existing file', async () => {
    const path = join(folder, 'out.wav')
    await writeFile(path, 'before')
    const sink = await createFile(path)
    await sink.write(Buffer.from('....after'))
    await sink.writeStart(Buffer.from('RIFF'))
    await sink.write(Buffer.from('wards'))
    expect(await readFile(path, 'utf8')).toBe('before')
    await sink.commit()
    expect(await readFile(path, 'utf8')).toBe('RIFFafterwards')
    expect(await readdir(folder)).toEqual(['out.wav'])
  })

  test('a discard removes it, and an existing file stays', async () => {
    const path = join(folder, 'out.wav')
    await writeFile(path, 'before')
    const sink = await createFile(path)
    await sink.write(Buffer.from('half'))
    await sink.discard()
    expect(await readFile(path, 'utf8')).toBe('before')
    expect(await readdir(folder)).toEqual(['out.wav'])
  })

  test('writes everything when the system takes less at a time', async () => {
    const probe = await open(join(folder, 'probe'), 'w')
    const prototype = Object.getPrototypeOf(probe) as FileHandle
    await probe.close()
    await rm(join(folder, 'probe'))
    const short = async function (
      this: FileHandle,
      bytes: Uint8Array,
      from: number,
      length: number,
      at: number | null,
    ) {
      return { bytesWritten: writeSync(this.fd, bytes, from, Math.min(length, 7), at), buffer: bytes }
    }
    vi.spyOn(prototype, 'write').mockImplementation(short as FileHandle['write'])
    const sink = await createFile(join(folder, 'out'))
    await sink.write(Buffer.from('0123456789abcdefghij'))
    await sink.writeStart(Buffer.from('ABCDEFGHIJ'))
    await sink.commit()
    expect(await readFile(join(folder, 'out'), 'utf8')).toBe('ABCDEFGHIJabcdefghij')
  })

  test('is refused without a parent folder, or for the name of a folder, before any write', async () => {
    for (const path of [join(folder, 'missing', 'out.wav'), folder]) {
      const error = await rejection(createFile(path))
      expect(error).toBeInstanceOf(InvalidRequestError)
      expect(error).toMatchObject({ code: 'unwritable_file', param: 'path' })
    }
    expect(await readdir(folder)).toEqual([])
    expect((await stat(folder)).isDirectory()).toBe(true)
  })
})

describe('the chunks of a file', () => {
  const BYTES = randomBytes(1_000_001)
  let path: string

  beforeEach(async () => {
    path = join(folder, 'a.wav')
    await writeFile(path, BYTES)
  })

  test('stored chunks are not overwritten', async () => {
    expect(Buffer.compare(await collect(readChunks(path, BYTES.length)), BYTES)).toBe(0)
  })

  test('a read stops at the requested length and at the end of the file', async () => {
    expect(await collect(readChunks(path, 300_000))).toEqual(BYTES.subarray(0, 300_000))
    expect(await collect(readChunks(path, 0))).toHaveLength(0)
    expect(await collect(readChunks(path, 2_000_000))).toHaveLength(BYTES.length)
  })

  test('a small file takes no more memory than it needs', async () => {
    const chunks = readChunks(path, 10)
    const { value } = await chunks.next()
    expect(value?.buffer.byteLength).toBe(10)
    await chunks.return()
  })

  test('the memory of a chunk that was written serves the next one', async () => {
    const server = createServer((far) => far.on('error', () => {}).resume()).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    giveBackWritten(socket)
    onTestFinished(() => {
      socket.destroy()
      server.close()
    })
    const buffers = new Set<unknown>()
    for await (const chunk of readChunks(path, BYTES.length)) {
      buffers.add(chunk.buffer)
      // The chunk's own callback comes before that of a write behind it.
      socket.write(chunk)
      await new Promise((resolve) => socket.write('', resolve))
    }
    expect(buffers.size).toBe(1)
  })

  test('a missing file fails with its own error', async () => {
    expect(await rejection(collect(readChunks(join(folder, 'missing'), 1)))).toMatchObject({ code: 'ENOENT' })
  })

  test.runIf(process.platform === 'linux')('the file is closed at its end, and when it is left', async () => {
    const isOpen = async (): Promise<boolean> => {
      const links = (await readdir('/proc/self/fd')).map((id) => readlink(`/proc/self/fd/${id}`).catch(() => ''))
      return (await Promise.all(links)).includes(path)
    }
    const chunks = readChunks(path, BYTES.length)
    await chunks.next()
    expect(await isOpen()).toBe(true)
    await chunks.return()
    expect(await isOpen()).toBe(false)
    await collect(readChunks(path, BYTES.length))
    expect(await isOpen()).toBe(false)
  })
})
