import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { NIGHTLY, SUITES } from './suites.ts'

interface Job {
  readonly strategy?: { readonly matrix: { readonly suite: readonly string[] } }
  readonly steps: readonly { readonly run?: string }[]
}

const root = join(import.meta.dirname, '../..')
const workflow: { readonly jobs: Readonly<Record<string, Job>> } = parse(
  readFileSync(join(root, '.github/workflows/main.yml'), 'utf8'),
)
const commands = (workflow.jobs['commit']?.steps ?? []).flatMap(
  ({ run }) => /pnpm@12 (?<command>.+)/.exec(run ?? '')?.groups?.['command'] ?? [],
)

test('the workflow of a commit runs test, check, the demo, the examples and every suite of a commit', () => {
  const suites = [...SUITES.keys()].map((name) => `suite ${name}`)
  expect(commands.toSorted()).toEqual(['test', 'check', 'demo', 'examples', ...suites].toSorted())
})

test('the workflow of the night runs every nightly suite', () => {
  const names = (workflow.jobs['night']?.strategy?.matrix.suite ?? []).map((line) => line.split(' ')[0])
  expect([...new Set(names)]).toEqual([...NIGHTLY.keys()])
})

test('the page of commands names every suite', () => {
  const page = readFileSync(join(root, 'docs/contributing-reference.md'), 'utf8')
  for (const name of [...SUITES.keys(), ...NIGHTLY.keys()]) expect(page).toContain(`suite ${name}`)
})
