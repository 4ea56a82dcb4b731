import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { apiEntries } from './api-entries.ts'

const ROOT = join(import.meta.dirname, '../../..')
const entries = apiEntries(ROOT)

/** Published packages, and how many of their entries are programs. */
const published = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: ROOT }).flatMap((path) => {
  const manifest: { readonly private?: boolean; readonly exports?: Readonly<Record<string, unknown>> } = JSON.parse(
    readFileSync(join(ROOT, path), 'utf8'),
  )
  const programs = Object.entries(manifest.exports ?? {}).filter(([, target]) =>
    JSON.stringify(target).includes('.js"'),
  )
  return manifest.private === true || programs.length === 0
    ? []
    : [{ name: basename(dirname(path)), count: programs.length }]
})

test.each(published)('the reference has the $count entries of $name', ({ name, count }) => {
  const found = entries.filter(({ route }) => route === name || isPart(route, name)).flatMap((one) => one.entries)
  expect(found).toHaveLength(count)
})

/** Whether a route is a part of a package, and not another package. */
function isPart(route: string, name: string): boolean {
  return route.startsWith(`${name}-`) && !published.some((one) => one.name === route)
}

test('a route of the reference stands for one entry of the list', () => {
  expect(new Set(entries.map(({ route }) => route)).size).toBe(entries.length)
})
