import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageTarballs, type PackedPackage, run } from '@svc-audio/hosts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const BIN = join(import.meta.dirname, '../node_modules/.bin')
const COMMON_JS = [
  '@svc-audio/core',
  '@svc-audio/upload',
  '@svc-audio/express-middleware',
  '@svc-audio/fastify',
  '@svc-audio/hono',
  '@svc-audio/voice',
  '@svc-audio/nestjs',
  '@svc-audio/testing',
  '@svc-audio/agent-tools',
  '@svc-audio/langchain-tools',
]

let folder: string
let tarballs: ReadonlyMap<string, PackedPackage>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-packed-'))
  tarballs = await packageTarballs(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.each(COMMON_JS)('%s', (name) => {
  test('has types that match its code in every module format', async () => {
    const checked = await run(join(BIN, 'attw'), [tarballs.get(name)?.tarball ?? '', '--no-emoji'], { cwd: folder })
    expect(checked).toMatchObject({ exitCode: 0 })
  })

  test('has a package.json without faults', async () => {
    const checked = await run(join(BIN, 'publint'), [tarballs.get(name)?.tarball ?? '', '--strict'], { cwd: folder })
    expect(checked).toMatchObject({ exitCode: 0 })
  })
})
