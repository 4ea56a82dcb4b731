import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readInstallCommand } from '../hosts/install-line.ts'
import { printedProjects } from './code-tab.ts'
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

/** Names of a line that installs, without options. */
function namesOf(line: readonly string[]): readonly string[] {
  return line.filter((name) => !name.startsWith('-')).toSorted()
}

const READMES = {
  express: 'express-middleware',
  fastify: 'fastify',
  hono: 'hono',
  nestjs: 'nestjs',
  langchain: 'langchain-tools',
  'ai-sdk': 'ai-sdk',
  voice: 'voice',
  vite: 'vite-plugin',
}

test.each(Object.entries(READMES))('the start page %s installs what the README of %s installs', (page, name) => {
  const readme = readFileSync(join(ROOT, `packages/${name}/README.md`), 'utf8')
  const { markdown = '' } = pages.find((one) => one.name === page) ?? {}
  const installed = commandsOf(markdown).flatMap((line) => readInstallCommand(line) ?? [])
  expect(namesOf(installed)).toEqual(namesOf(readInstallCommand(readme) ?? []))
})

const PRINTED = {
  TypeScript: 'core',
  'AI SDK': 'ai-sdk',
  Express: 'express-middleware',
  NestJS: 'nestjs',
  LangChain: 'langchain-tools',
  'LangChain @svc-audio/voice': 'voice',
}

test.each(Object.entries(PRINTED))('the Code tab of %s installs what the README of %s installs', (title, name) => {
  const readme = readFileSync(join(ROOT, `packages/${name}/README.md`), 'utf8')
  const project = printedProjects().find((one) => one.name === `Code tab: ${title}`)
  // The page's programs read their port from the environment, which TypeScript checks.
  const names = namesOf(readInstallCommand(project?.line ?? '') ?? []).filter((one) => one !== '@types/node')
  expect(names).toEqual(namesOf(readInstallCommand(readme) ?? []))
})
