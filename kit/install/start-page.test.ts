import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf, promisedCommands, readStartPage } from './start-page.ts'

const ROOT = dirname(dirname(import.meta.dirname))

const pages = globSync('docs/start/*.md', { cwd: ROOT })
  .map((path) => ({ name: basename(path, '.md'), markdown: readFileSync(join(ROOT, path), 'utf8') }))
  .filter(({ name }) => name !== 'README')

test.each(pages)('the page of $name has as many commands as it says', ({ markdown }) => {
  expect(promisedCommands(markdown)).toBe(commandsOf(markdown).length)
})

test('files and commands of a page are read in their order', () => {
  const page = [
    'Install:',
    '```sh\nnpm init --yes\nnpm install express\n```',
    '`app.ts`, the server:',
    '<!-- snippet: README.md#ts -->',
    '```ts\nserve()\n```',
    'Run it:',
    '```sh\nnode app.ts\n```',
  ].join('\n\n')
  expect(readStartPage(page)).toEqual([
    { kind: 'command', line: 'npm init --yes' },
    { kind: 'command', line: 'npm install express' },
    { kind: 'file', path: 'app.ts', content: 'serve()\n' },
    { kind: 'command', line: 'node app.ts' },
  ])
})

test('a block of code without a path is an error that shows its first line', () => {
  expect(() => readStartPage('Write:\n\n```ts\nserve()\n```\n')).toThrow(
    'the block of ts has no path above it: serve()',
  )
})
