import { execFile } from 'node:child_process'
import { link, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { tmpdir } from 'node:os'
import { type AudioSource, openAllowedFile } from './allowed-file.ts'

/** What makes a file WAV; the tests read what follows. */
const WAVE = 'RIFF....WAVE'

let parent: string
let root: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'allowed-'))
  root = join(parent, 'shared')
  await mkdir(join(root, 'below'), { recursive: true })
  await mkdir(join(parent, 'shared-not'))
  await writeFile(join(root, 'a.wav'), WAVE + 'inside')
  await writeFile(join(root, 'below', 'b.wav'), WAVE + 'deeper')
  await writeFile(join(root, '..c.wav'), WAVE + 'dots')
  await writeFile(join(parent, 'secret.wav'), WAVE + 'secret')
  await writeFile(join(parent, 'shared-not', 'd.wav'), WAVE + 'secret')
  return () => rm(parent, { recursive: true, force: true })
})

async function read({ body, close }: AudioSource): Promise<string> {
  if (!('file' in body) || typeof body.file.data !== 'function') throw new Error('This is no stream')
  const chunks: Uint8Array[] = []
  for await (const chunk of body.file.data()) chunks.push(chunk)
  await close?.()
  const text = Buffer.concat(chunks).toString()
  expect(text.startsWith(WAVE)).toBe(true)
  return text.slice(WAVE.length)
}

async function refusal(path: string, of = root): Promise<unknown> {
  return openAllowedFile(of, path).then(
    async (source) => {
      await source.close?.()
      throw new Error(`${path} was opened`)
    },
    (error: unknown) => error,
  )
}

describe('files of the folder are opened', () => {
  test.each([
    ['a.wav', 'inside'],
    ['./a.wav', 'inside'],
    ['below/b.wav', 'deeper'],
    ['below/../a.wav', 'inside'],
    ['..c.wav', 'dots'],
  ])('%s', async (path, content) => {
    const source = await openAllowedFile(root, path)
    await expect(read(source)).resolves.toBe(content)
  })

  test('files of the folder are opened by an absolute path, with a relative root, and through links that stay inside', async () => {
    await symlink(join(root, 'below'), join(root, 'link'))
    await symlink(root, join(parent, 'root-link'))
    await expect(read(await openAllowedFile(root, join(root, 'a.wav')))).resolves.toBe('inside')
    await expect(read(await openAllowedFile(relative(process.cwd(), root), 'a.wav'))).resolves.toBe('inside')
    await expect(read(await openAllowedFile(root, 'link/b.wav'))).resolves.toBe('deeper')
    await expect(read(await openAllowedFile(join(parent, 'root-link'), 'a.wav'))).resolves.toBe('inside')
  })

  test('files of the folder are opened and can be read again, for a retry', async () => {
    const source = await openAllowedFile(root, 'a.wav')
    const { close, ...open } = source
    await expect(read(open)).resolves.toBe('inside')
    await expect(read(open)).resolves.toBe('inside')
    await close?.()
  })
})

describe('nothing else is', () => {
  test.each(['../secret.wav', '../shared-not/d.wav', '/etc/passwd', '..', '.', '', 'below/../../secret.wav'])(
    '%j is path_not_allowed, whether it exists or not',
    async (path) => {
      await expect(refusal(path)).resolves.toMatchObject({ code: 'path_not_allowed', retryable: false })
      await expect(refusal(`${path}/../../none`)).resolves.toMatchObject({ code: 'path_not_allowed' })
    },
  )

  test('a link to a file or a folder outside', async () => {
    await symlink(join(parent, 'secret.wav'), join(root, 'file.wav'))
    await symlink(parent, join(root, 'folder'))
    await symlink('/etc', join(root, 'etc'))
    for (const path of ['file.wav', 'folder/secret.wav', 'etc/passwd', 'folder/shared-not/d.wav']) {
      await expect(refusal(path)).resolves.toMatchObject({ code: 'audio_not_found' })
    }
  })

  test.each(['none.wav', 'below', 'a.wav/x', 'a.wav\0', '~/a.wav', '%2e%2e/secret.wav', '..\\secret.wav'])(
    '%j is audio_not_found',
    async (path) => {
      await expect(refusal(path)).resolves.toMatchObject({ code: 'audio_not_found' })
    },
  )

  test.skipIf(process.platform === 'win32')('a pipe, which would be waited for without end', async () => {
    await promisify(execFile)('mkfifo', [join(root, 'pipe.wav')])
    await expect(refusal('pipe.wav')).resolves.toMatchObject({ code: 'audio_not_found' })
  })

  test('a link out gives the same answer whether its target exists or not', async () => {
    await symlink(join(parent, 'secret.wav'), join(root, 'there.wav'))
    await symlink(join(parent, 'missing.wav'), join(root, 'missing.wav'))
    const [there, missing] = [await refusal('there.wav'), await refusal('missing.wav')]
    expect(there).toMatchObject({ code: 'audio_not_found' })
    expect((there as Error).message).toBe((missing as Error).message)
    expect(missing).toMatchObject({ code: 'audio_not_found' })
  })

  test.each([
    ['.env', 'API_KEY=secret\n'],
    ['notes.wav', 'not audio, whatever its name'],
    ['id_ed25519', '-----BEGIN OPENSSH PRIVATE KEY-----\n'],
    ['page.mp3', '<!doctype html><html></html>'],
  ])('%s, which is not audio by its first bytes', async (name, content) => {
    await writeFile(join(root, name), content)
    await expect(refusal(name)).resolves.toMatchObject({ code: 'audio_unreadable' })
  })

  test('an empty file', async () => {
    await writeFile(join(root, 'empty.wav'), '')
    await expect(refusal('empty.wav')).resolves.toMatchObject({ code: 'audio_unreadable' })
  })

  test('a folder that is missing as a whole', async () => {
    await expect(refusal('a.wav', join(parent, 'none'))).resolves.toMatchObject({ code: 'audio_not_found' })
  })
})

test('no message names a path', async () => {
  await symlink(join(parent, 'secret.wav'), join(root, 'file.wav'))
  for (const path of ['../secret.wav', 'file.wav', 'none.wav', 'below']) {
    const error = await refusal(path)
    expect(error).toBeInstanceOf(Error)
    expect((error as Error).message).not.toMatch(/[/\\]|secret|wav/)
  }
})

test.runIf(process.platform === 'linux')('a refusal leaves no file open', async () => {
  await symlink(join(parent, 'secret.wav'), join(root, 'file.wav'))
  await writeFile(join(root, 'empty.wav'), '')
  const before = await readdir('/proc/self/fd')
  for (const path of ['../secret.wav', 'file.wav', 'none.wav', 'empty.wav', 'below']) await refusal(path)
  await expect(readdir('/proc/self/fd')).resolves.toHaveLength(before.length)
})

test('a hard link is a file of the folder like any other', async () => {
  await link(join(parent, 'secret.wav'), join(root, 'hard.wav'))
  await expect(read(await openAllowedFile(root, 'hard.wav'))).resolves.toBe('secret')
})
