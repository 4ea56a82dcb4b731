import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageTarballs, type PackedPackage, run } from '@svc-audio/kit/hosts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const BIN = join(import.meta.dirname, '../../node_modules/.bin')

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: object
}

const published = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: ROOT })
  .map((path): Manifest => JSON.parse(readFileSync(join(ROOT, path), 'utf8')))
  .filter((manifest) => manifest.private !== true)

/** Published packages with an entry that programs import. n8n loads its nodes by their files. */
const imported = published.filter(({ exports }) => exports !== undefined)

/** Entries that are no modules. */
const DATA = /\.json$/

let folder: string
let tarballs: ReadonlyMap<string, PackedPackage>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-packed-'))
  tarballs = await packageTarballs(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What attw is told of a package. ES modules alone cannot be loaded by every version of `require`. */
function attwOptions(exports: object): readonly string[] {
  const excluded = Object.keys(exports).filter((entry) => DATA.test(entry))
  const isCommonJs = JSON.stringify(exports).includes('"require"')
  return [
    ...(isCommonJs ? [] : ['--profile', 'esm-only']),
    ...(excluded.length === 0 ? [] : ['--exclude-entrypoints', ...excluded]),
  ]
}

test.concurrent.each(imported)('$name has types that match its code in every module format', async (manifest) => {
  const args = [tarballs.get(manifest.name)?.tarball ?? '', '--no-emoji', ...attwOptions(manifest.exports ?? {})]
  expect(await run(join(BIN, 'attw'), args, { cwd: folder })).toMatchObject({ exitCode: 0 })
})

test.concurrent.each(published)('$name has a package.json without faults', async ({ name }) => {
  const args = [tarballs.get(name)?.tarball ?? '', '--strict']
  expect(await run(join(BIN, 'publint'), args, { cwd: folder })).toMatchObject({ exitCode: 0 })
})
