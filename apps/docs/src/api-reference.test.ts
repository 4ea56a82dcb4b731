import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiEntries } from './api-reference.ts'

const ROOT = join(import.meta.dirname, '../../..')
const entries = apiEntries(ROOT)

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, unknown>>
}

/** Published packages, and how many of their entries are programs. */
const published = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: ROOT }).flatMap((path) => {
  const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
  const count = Object.values(manifest.exports ?? {}).filter((target) => JSON.stringify(target).includes('.js"')).length
  return manifest.private === true || count === 0 ? [] : [{ name: manifest.name, count }]
})

test.each(published)('the reference has the $count entries of $name', ({ name, count }) => {
  const parts = entries.filter(({ title }) => title === name || title.startsWith(`${name}/`))
  expect(parts.flatMap((part) => part.entries)).toHaveLength(count)
})

test('a route of the reference stands for one entry of the list', () => {
  expect(new Set(entries.map(({ route }) => route)).size).toBe(entries.length)
})
