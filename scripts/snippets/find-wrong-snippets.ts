import { readSnippets, type Snippet } from './snippet.ts'
import { sourceRegion } from './source-region.ts'

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

function compare({ code }: Snippet, source: string, { readFile }: SnippetContext): string[] {
  const [path = '', region] = source.split('#', 2)
  const text = readFile(path)
  if (text === undefined) return [`${path} does not exist`]
  try {
    const wanted = path.endsWith('.md') ? blockOf(text, region) : sourceRegion(text, region)
    return wanted === code ? [] : [`the block differs from ${source}: copy it again`]
  } catch (error) {
    return [`${path}: ${error instanceof Error ? error.message : String(error)}`]
  }
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
