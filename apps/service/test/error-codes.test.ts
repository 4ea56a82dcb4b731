import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ERROR_CODES } from '../src/domain/error-codes.ts'

const SOURCE = new URL('../src/', import.meta.url).pathname

/** An error code in the source: `new ServiceError(404, 'x'`, `invalid('x'`, `code: 'x'` beside a message. */
const CODES = [
  /new ServiceError\(\s*(?<status>\d+),\s*'(?<code>[a-z0-9_]+)'/g,
  /\binvalid\(\s*'(?<code>[a-z0-9_]+)'/g,
  /code: '(?<code>[a-z0-9_]+)',\s*message:/g,
]

/** Every error code of the service, with the statuses beside it. */
async function codesInSource(): Promise<Map<string, Set<string>>> {
  const codes = new Map<string, Set<string>>()
  const names = await readdir(SOURCE, { recursive: true })
  for (const name of names.filter((one) => one.endsWith('.ts') && !one.endsWith('.test.ts'))) {
    if (name.startsWith('cli') || name === 'domain/error-codes.ts') continue
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

test('every error code with a cause and a remedy is in use, and no other is used', async () => {
  const documented = Object.keys(ERROR_CODES).toSorted()
  expect(documented).toEqual([...(await codesInSource()).keys()].toSorted())
  expect(documented.length).toBeGreaterThan(50)
})

test("every documented status is the code's status", async () => {
  const source = await codesInSource()
  const wrong = Object.entries(ERROR_CODES).filter(([code, { status }]) => {
    const statuses = source.get(code) ?? new Set()
    // A code for tasks only has a status in the source too, but no response carries it.
    return status !== 'task' && statuses.size > 0 && !(statuses.size === 1 && statuses.has(String(status)))
  })
  expect(wrong).toEqual([])
})
