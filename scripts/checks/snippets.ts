// Checks the code blocks of READMEs and docs. `ts` blocks type-check as printed or equal their source file. `json` blocks
// parse. `sh` blocks call existing scripts. Arguments limit the pages to these paths.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'

/** The repository, as the check sees it. */
export interface SnippetContext {
  /** Reads a file by its path from the root. Returns `undefined` for a missing file. */
  readonly readFile: (path: string) => string | undefined
  /** Names of the root scripts, for `npx -y pnpm@12 <script>`. */
  readonly scripts: ReadonlySet<string>
}

/** Commands of pnpm itself. */
const PNPM_COMMANDS = new Set(['install', 'exec', 'changeset'])

/** Finds blocks that differ from their source, invalid JSON, and unknown commands. */
export function findWrongSnippets(snippets: readonly Snippet[], context: SnippetContext): string[] {
  return snippets.flatMap((snippet) => {
    const where = `${snippet.page}:${snippet.line}`
    if (snippet.source !== undefined)
      return compare(snippet, snippet.source, context).map((fault) => `${where}: ${fault}`)
    if (snippet.language === 'json') return parse(snippet.code).map((fault) => `${where}: ${fault}`)
    if (snippet.language === 'sh') return unknownCommands(snippet.code, context).map((fault) => `${where}: ${fault}`)
    return []
  })
}

function compare({ code, isExcerpt }: Snippet, source: string, { readFile }: SnippetContext): string[] {
  const [path = '', region] = source.split('#', 2)
  const text = readFile(path)
  if (text === undefined) return [`${path} does not exist`]
  try {
    const wanted = path.endsWith('.md') ? blockOf(text, region) : sourceRegion(text, region)
    if (isExcerpt)
      return missingLines(code, wanted).map((line) => `${source} has no line "${line}" behind the one before`)
    return wanted === code ? [] : [`the block differs from ${source}: copy it again`]
  } catch (error) {
    return [`${path}: ${error instanceof Error ? error.message : String(error)}`]
  }
}

function trimmedLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** The lines of an excerpt that the whole does not have, in this order. Indentation does not count. */
function missingLines(excerpt: string, whole: string): string[] {
  const rest = trimmedLines(whole)
  return trimmedLines(excerpt).filter((line) => {
    const place = rest.indexOf(line)
    rest.splice(0, place + 1)
    return place === -1
  })
}

/** A block of a Markdown page: `ts` is its first block of TypeScript, `ts-2` the second one. @throws Error without it */
function blockOf(markdown: string, name = ''): string {
  const [language, place = '1'] = name.split('-', 2)
  const block = readSnippets('', markdown).filter((one) => one.language === language)[Number(place) - 1]
  if (block === undefined) throw new Error(`no block "${name}"`)
  return block.code
}

function parse(code: string): string[] {
  try {
    JSON.parse(code)
    return []
  } catch (error) {
    return [`the JSON does not parse: ${error instanceof Error ? error.message : String(error)}`]
  }
}

function unknownCommands(code: string, { scripts }: SnippetContext): string[] {
  const called = [...code.matchAll(/pnpm@12 (?!-)([\w:-]+)/g)].map(([, name = '']) => name)
  return called
    .filter((name) => !scripts.has(name) && !PNPM_COMMANDS.has(name))
    .map((name) => `package.json has no script "${name}"`)
}

/** A fenced code block of a Markdown page. */
interface Snippet {
  /** Path of the page, relative to the root. */
  readonly page: string
  /** 1-based line of the opening fence. */
  readonly line: number
  /** First word after the fence, such as `ts`. */
  readonly language: string
  readonly code: string
  /** The block's source file, with an optional `#region`: from `<!-- snippet: path#region -->`. */
  readonly source: string | undefined
  /** Whether the block has only some lines of its source: from `<!-- lines of: path#region -->`. */
  readonly isExcerpt: boolean
  /** Whether the block continues the page's previous block: from `<!-- continues -->`. */
  readonly continues: boolean
}

const MARKER = /^<!-- (?:(?:snippet|(?<excerpt>lines of)): (?<source>\S+)|(?<continues>continues)) -->$/

const NO_MARKER: Pick<Snippet, 'source' | 'isExcerpt' | 'continues'> = {
  source: undefined,
  isExcerpt: false,
  continues: false,
}

/** Reads the fenced code blocks of a page. A marker comment applies to the next block. */
export function readSnippets(page: string, markdown: string): readonly Snippet[] {
  const snippets: Snippet[] = []
  let open: { fence: string; indent: number; line: number; language: string; code: string[] } | undefined
  let marker = NO_MARKER
  for (const [index, text] of markdown.split('\n').entries()) {
    if (open !== undefined) {
      if (text.trim().startsWith(open.fence) && text.trim() === '`'.repeat(text.trim().length)) {
        const { line, language, code } = open
        snippets.push({ page, line, language, code: `${code.join('\n')}\n`, ...marker })
        open = undefined
        marker = NO_MARKER
      } else open.code.push(text.slice(Math.min(open.indent, text.search(/\S|$/))))
      continue
    }
    const groups = MARKER.exec(text.trim())?.groups
    if (groups !== undefined) {
      marker = {
        source: groups['source'],
        isExcerpt: groups['excerpt'] !== undefined,
        continues: groups['continues'] !== undefined,
      }
      continue
    }
    const [, spaces = '', fence, language = ''] = /^(\s*)(`{3,})(\w*)/.exec(text) ?? []
    if (fence !== undefined) open = { fence, indent: spaces.length, line: index + 1, language, code: [] }
  }
  return snippets
}

/**
 * Returns the text of a file, or of its region `// #region name` … `// #endregion`, without markers and indentation.
 *
 * @throws Error when the region is missing
 */
export function sourceRegion(text: string, region: string | undefined): string {
  if (region === undefined) return text
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.trim() === `// #region ${region}`)
  const end = lines.findIndex((line, index) => index > start && line.trim().startsWith('// #endregion'))
  if (start === -1 || end === -1) throw new Error(`no "// #region ${region}" with an end`)
  const inside = lines.slice(start + 1, end)
  const indent = Math.min(...inside.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return `${inside.map((line) => line.slice(indent)).join('\n')}\n`
}

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

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const areas = process.argv.slice(2)
  const pages = globSync(['*.md', 'docs/**/*.md', '{apps,engines,examples,kit,packages}/**/*.md', 'bench/*.md'], {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**', '**/CHANGELOG.md'],
  }).filter((page) => areas.length === 0 || areas.some((area) => page.startsWith(area)))

  const snippets = pages.toSorted().flatMap((page) => readSnippets(page, read(page)))
  const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'))
  const faults = [
    ...findWrongSnippets(snippets, {
      readFile: (path) => (existsSync(join(root, path)) ? read(path) : undefined),
      scripts: new Set(Object.keys(manifest.scripts)),
    }),
    ...typeCheck(root, snippets),
  ]
  for (const fault of faults) console.error(fault)
  console.log(`${pages.length} pages, ${snippets.length} code blocks, ${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
