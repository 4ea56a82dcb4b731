import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/releases.md'), 'utf8')
const ROW = /^\| `@svc-audio\/(?<name>[\w-]+)` +\| `(?<framework>[^`]+)` +\| `(?<range>[^`]+)` +\|$/gm
const rows = Array.from(page.matchAll(ROW), ({ groups = {} }) => [
  groups['name'] ?? '',
  groups['framework'] ?? '',
  (groups['range'] ?? '').replaceAll('\\|', '|'),
])

test('the table of frameworks has a row for each adapter', () => {
  expect(rows).toHaveLength(6)
})

test.each(rows)('the range of %s is that of its manifest', (name, framework, range) => {
  const manifest: { readonly peerDependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
  )
  expect(manifest.peerDependencies[framework]).toBe(range)
})
