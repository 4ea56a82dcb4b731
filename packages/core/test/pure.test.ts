import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const SOURCE = resolve(import.meta.dirname, '../src')

/** Bundled from its source, see rolldown.config.ts. */
const SENTENCES = resolve(SOURCE, '../../text/src/sentences/index.ts')

/** Every module that an entry loads, and every package that it loads at once or later, without types. */
function importsOf(entry: string): { modules: Set<string>; packages: Set<string>; later: Set<string> } {
  const modules = new Set<string>()
  const packages = new Set<string>()
  const later = new Set<string>()
  const visit = (path: string): void => {
    if (modules.has(path)) return
    modules.add(path)
    const source = readFileSync(path, 'utf8')
    for (const [, clause = '', specifier = ''] of source.matchAll(/^(?:im|ex)port (.*?)from '([^']+)'/gms)) {
      if (clause.startsWith('type ')) continue
      if (specifier.startsWith('.')) visit(resolve(dirname(path), specifier))
      else if (specifier === '@svc-audio/text/sentences') visit(SENTENCES)
      else packages.add(specifier)
    }
    for (const [, specifier = ''] of source.matchAll(/import\('([^']+)'\)/g)) {
      if (specifier.startsWith('.')) visit(resolve(dirname(path), specifier))
      else later.add(specifier)
    }
  }
  visit(resolve(SOURCE, entry))
  return { modules, packages, later }
}

test.each([
  ['pure.ts', 10],
  ['streaming/index.ts', 10],
  ['subtitles/index.ts', 5],
  ['fetch/index.ts', 10],
  ['interface.ts', 3],
  ['text/index.ts', 10],
  ['webhooks/index.ts', 5],
])('%s imports no platform', (entry, least) => {
  const { modules, packages, later } = importsOf(entry)
  expect([...packages]).toEqual([])
  expect([...later]).toEqual(entry === 'text/index.ts' ? ['@svc-audio/text'] : [])
  expect(modules.size).toBeGreaterThan(least)
  expect([...modules].filter((path) => relative(SOURCE, path).startsWith('node/'))).toEqual([])
})

test('index.ts imports Node, which proves that this test finds such imports', () => {
  const { packages, later } = importsOf('index.ts')
  expect([...packages, ...later]).toEqual(expect.arrayContaining(['node:fs/promises', 'node:path', 'undici']))
})

test('index.ts loads the Markdown reader only for a narration', () => {
  const { packages, later } = importsOf('index.ts')
  expect(packages).not.toContain('@svc-audio/text')
  expect(later).toContain('@svc-audio/text')
})

test('the whole of ./pure takes at most 16,384 bytes, as esbuild bundles and gzip compresses it', async () => {
  const { outputFiles } = await build({
    entryPoints: [resolve(SOURCE, 'pure.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  })
  const [bundle] = outputFiles
  expect(gzipSync(bundle?.contents ?? '', { level: 9 }).byteLength).toBeLessThanOrEqual(16_384)
})
