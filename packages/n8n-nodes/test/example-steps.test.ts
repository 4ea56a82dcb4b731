import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXAMPLES, renderSteps } from '../test-n8n/example-steps.ts'
import { PACKAGE_FOLDER } from './support/engine.ts'
import { table, withTables } from './support/page-tables.ts'

const PAGE = join(PACKAGE_FOLDER, 'docs/examples.md')
const HEAD = ['Node', 'Search for', 'Fields']

// `npx -y pnpm@12 generate` writes the tables.
test('the tables of the examples hold the steps that the check of the editor clicks', async () => {
  const tables = EXAMPLES.map((example) => [`## ${example.title}`, table([HEAD, ...renderSteps(example)])])
  const page = await readFile(PAGE, 'utf8')
  await expect(withTables(page, Object.fromEntries(tables))).toMatchFileSnapshot(PAGE)
})

test.each(EXAMPLES)('the steps of $title make the nodes of its file', async ({ file, steps }) => {
  const workflow = JSON.parse(await readFile(join(PACKAGE_FOLDER, 'examples', `${file}.json`), 'utf8')) as {
    nodes: { name: string; type: string }[]
  }
  const nodes = workflow.nodes.filter(({ type }) => !type.endsWith('.stickyNote'))
  expect(steps.map(({ node }) => node)).toEqual(nodes.map(({ name }) => name))
})
