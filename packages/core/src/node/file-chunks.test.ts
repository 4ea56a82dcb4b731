import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { collect, rejection } from '../../test/support/clients.ts'
import { readChunks } from './file-chunks.ts'
import { giveBackWritten } from './buffer-recycling.ts'

const BYTES = randomBytes(1_000_001)
let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-chunks-'))
  path = join(folder, 'a.wav')
  await writeFile(path, BYTES)
})

afterEach(async () => {
  await rm(folder, { recursive: true })
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
