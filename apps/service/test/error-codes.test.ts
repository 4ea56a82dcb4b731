import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = new URL('../src/', import.meta.url).pathname
const PAGE = new URL('../../../docs/self-hosted-answers.md', import.meta.url)

/** An error code in the source: `new ServiceError(404, 'x'`, `invalid('x'`, `code: 'x'` beside a message. */
const CODES = [
  /new ServiceError\(\s*(?<status>\d+),\s*'(?<code>[a-z_]+)'/g,
  /\binvalid\(\s*'(?<code>[a-z_]+)'/g,
  /code: '(?<code>[a-z_]+)',\s*message:/g,
]

/** Every error code of the service, with the statuses beside it. */
async function codesInSource(): Promise<Map<string, Set<string>>> {
  const codes = new Map<string, Set<string>>()
  const names = await readdir(SOURCE, { recursive: true })
  for (const name of names.filter((one) => one.endsWith('.ts') && !one.endsWith('.test.ts'))) {
    if (name.startsWith('cli')) continue
    const text = await readFile(join(SOURCE, name), 'utf8')
    for (const { groups } of CODES.flatMap((pattern) => Array.from(text.matchAll(pattern)))) {
      const { code = '', status } = groups ?? {}
      const statuses = codes.get(code) ?? new Set<string>()
      codes.set(code, statuses)
      if (status !== undefined) statuses.add(status)
    }
  }
  return codes
}

async function codesOnPage(): Promise<Map<string, string>> {
  const page = await readFile(PAGE, 'utf8')
  const table = page.slice(page.indexOf('<!-- errors -->'), page.indexOf('<!-- /errors -->'))
  return new Map(
    Array.from(table.matchAll(/^\| (?<status>\d{3}|task) +\| `(?<code>[a-z_]+)`/gm), ({ groups }) => [
      groups?.['code'] ?? '',
      groups?.['status'] ?? '',
    ]),
  )
}

test('every error code of the service is documented, and no other', async () => {
  const documented = [...(await codesOnPage()).keys()].toSorted()
  expect(documented).toEqual([...(await codesInSource()).keys()].toSorted())
  expect(documented.length).toBeGreaterThan(50)
})

test("every documented status is the code's status", async () => {
  const source = await codesInSource()
  const wrong = [...(await codesOnPage())].filter(([code, status]) => {
    const statuses = source.get(code) ?? new Set()
    // A code for tasks only has a status in the source too, but no answer carries it.
    return status !== 'task' && statuses.size > 0 && !(statuses.size === 1 && statuses.has(status))
  })
  expect(wrong).toEqual([])
})
