import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Snippet } from './snippet.ts'

/** Folder of the extracted blocks inside a package. Git ignores it. Blocks there see the package's dependencies. */
const FOLDER = 'dist/.snippets'

/** Package for the blocks of the root pages. Its dependencies resolve their imports. */
const ROOT_PAGES = 'examples'

/**
 * Type-checks the `ts` blocks as printed: each block is a module, and `<!-- continues -->` appends it to the block before.
 *
 * @param root Root of the repository. Build first.
 * @returns The compiler's errors, with page and line in place of file and line.
 */
export function typeCheck(root: string, snippets: readonly Snippet[]): string[] {
  const blocks = snippets.filter(({ language, source }) => /^(?:ts|tsx)$/.test(language) && source === undefined)
  const modules = new Map<string, Snippet[]>()
  for (const block of blocks) {
    const previous = [...modules.entries()].findLast(([, parts]) => parts[0]?.page === block.page)
    if (block.continues && previous !== undefined) previous[1].push(block)
    else modules.set(modulePath(root, block), [block])
  }
  const folders = new Set([...modules.keys()].map((path) => join(root, path, '..')))
  for (const folder of folders) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
  }
  for (const [path, parts] of modules)
    writeFileSync(join(root, path), `${parts.map(({ code }) => code).join('')}export {}\n`)
  const config = join(root, 'node_modules/.cache/snippets.tsconfig.json')
  mkdirSync(dirname(config), { recursive: true })
  writeFileSync(config, JSON.stringify(compilerConfig(root, [...modules.keys()])))
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', config, '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  return stdout.split('\n').flatMap((line) => located(line, modules))
}

function modulePath(root: string, { page, line, language }: Snippet): string {
  const owner = /^(?:apps|engines|kit|packages)\/[^/]+/.exec(page)?.[0] ?? ROOT_PAGES
  const folder = existsSync(join(root, owner, 'package.json')) ? owner : ROOT_PAGES
  return `${folder}/${FOLDER}/${page.replaceAll(/\W+/g, '-')}-${line}.${language}`
}

function compilerConfig(root: string, files: readonly string[]): unknown {
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      rootDir: root,
      incremental: false,
      tsBuildInfoFile: null,
      noUnusedLocals: false,
      noUnusedParameters: false,
      emitDecoratorMetadata: true,
    },
    include: [],
    files: files.map((path) => join(root, path)),
    references: [],
  }
}

/** `path(line,column): error …` of an extracted block as `page:line: error …`. */
function located(line: string, modules: ReadonlyMap<string, readonly Snippet[]>): string[] {
  const [, path = '', row = '', message = ''] = /^(\S+?)\((\d+),\d+\): (.*)$/.exec(line) ?? []
  const parts = [...modules].find(([name]) => path.endsWith(name))?.[1]
  if (parts === undefined) return line.trim() === '' ? [] : [line]
  let rest = Number(row)
  for (const { page, line: start, code } of parts) {
    const lines = code.split('\n').length - 1
    if (rest <= lines) return [`${page}:${start + rest}: ${message}`]
    rest -= lines
  }
  return [line]
}
