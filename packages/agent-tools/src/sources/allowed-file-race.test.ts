import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { openAllowedFile } from './allowed-file.ts'

// Files share a worker: the modules of other files have no mock, and those of this file keep theirs to themselves.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())

/** Runs when a file has been checked and is about to be opened. */
let meanwhile: (() => Promise<void>) | undefined
/** Runs when it has been opened. */
let afterwards: (() => Promise<void>) | undefined

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  const open: typeof original.open = async (...args) => {
    await meanwhile?.()
    const file = await original.open(...args)
    await afterwards?.()
    return file
  }
  return { ...original, open }
})

afterEach(() => {
  meanwhile = undefined
  afterwards = undefined
})

async function folders(): Promise<{ root: string; outside: string; remove: () => Promise<void> }> {
  const parent = await mkdtemp(join(tmpdir(), 'race-'))
  const [root, outside] = [join(parent, 'shared'), join(parent, 'outside')]
  await mkdir(join(root, 'below'), { recursive: true })
  await mkdir(outside)
  await writeFile(join(root, 'below', 'a.wav'), 'RIFF....WAVEinside')
  await writeFile(join(outside, 'a.wav'), 'RIFF....WAVEsecret')
  return { root, outside, remove: () => rm(parent, { recursive: true, force: true }) }
}

test('a link that takes the place of the checked file is not followed', async () => {
  const { root, outside, remove } = await folders()
  meanwhile = async () => {
    await rm(join(root, 'below', 'a.wav'))
    await symlink(join(outside, 'a.wav'), join(root, 'below', 'a.wav'))
  }
  await expect(openAllowedFile(root, 'below/a.wav')).rejects.toMatchObject({ code: 'audio_unreadable' })
  await remove()
})

test('a link that takes the place of a folder above it is found out', async () => {
  const { root, outside, remove } = await folders()
  meanwhile = async () => {
    await rename(join(root, 'below'), join(root, 'moved'))
    await symlink(outside, join(root, 'below'))
  }
  await expect(openAllowedFile(root, 'below/a.wav')).rejects.toMatchObject({ code: 'audio_not_found' })
  await remove()
})

test('so is one that is gone again when the file has been opened', async () => {
  const { root, outside, remove } = await folders()
  meanwhile = async () => {
    await rename(join(root, 'below'), join(root, 'moved'))
    await symlink(outside, join(root, 'below'))
  }
  afterwards = async () => {
    await rm(join(root, 'below'))
    await rename(join(root, 'moved'), join(root, 'below'))
  }
  await expect(openAllowedFile(root, 'below/a.wav')).rejects.toMatchObject({ code: 'audio_not_found' })
  await remove()
})
