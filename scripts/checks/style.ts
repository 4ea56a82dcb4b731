// Finds words and sentence forms in Markdown pages, docstrings and comments that docs/style.md refuses.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
/**
 * Finds words that the glossary refuses.
 *
 * @returns One line per word: `path:line: "under way": write "in flight"`.
 */
export function findRefused(path: string, prose: readonly ProseLine[], glossary: readonly GlossaryTerm[]): string[] {
  return prose.flatMap(({ line, text }) =>
    glossary.flatMap(({ term, refused }) =>
      refused.filter((word) => contains(text, word)).map((word) => `${path}:${line}: "${word}": write "${term}"`),
    ),
  )
}

function contains(text: string, word: string): boolean {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![\w-])${escaped}(?![\w-])`, 'i').test(text)
}

/** A term of the glossary and the words it replaces. */
interface GlossaryTerm {
  readonly term: string
  /** Words and phrases in lower case. */
  readonly refused: readonly string[]
}

/**
 * Reads the glossary table of `docs/style.md`: the rows between `<!-- glossary -->` and `<!-- /glossary -->`.
 *
 * @throws Error when the table is missing or a row does not have three columns
 */
export function readGlossary(page: string): readonly GlossaryTerm[] {
  const table = /<!-- glossary -->([\s\S]*)<!-- \/glossary -->/.exec(page)?.[1]
  if (table === undefined)
    throw new Error('docs/style.md has no glossary between <!-- glossary --> and <!-- /glossary -->')
  const rows = table.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) => {
    const [term, , refused, ...rest] = row.split('|').slice(1, -1)
    if (term === undefined || refused === undefined || rest.length > 0) {
      throw new Error(`docs/style.md: a glossary row needs three columns: ${row}`)
    }
    const words = refused.split(',').map((word) => word.trim().toLowerCase())
    return { term: term.trim(), refused: words.filter((word) => word !== '') }
  })
}

/** A line of prose and its line number. */
interface ProseLine {
  /** 1-based. */
  readonly line: number
  readonly text: string
}

/** Returns the prose of a Markdown page, without code blocks, inline code, addresses and HTML comments. */
export function markdownProse(source: string): readonly ProseLine[] {
  let fence: string | undefined
  const lines: ProseLine[] = []
  for (const [index, text] of source.split('\n').entries()) {
    const marker = /^\s*(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence !== undefined) {
      if (marker !== undefined && marker.startsWith(fence)) fence = undefined
    } else if (marker !== undefined) fence = marker
    else lines.push({ line: index + 1, text: withoutCode(text) })
  }
  return lines
}

/**
 * Returns the comments of a TypeScript file: lines that begin as comments, and text after ` // `. This needs no parser and
 * misses only comments in the middle of a line.
 */
export function commentProse(source: string): readonly ProseLine[] {
  const lines: ProseLine[] = []
  for (const [index, text] of source.split('\n').entries()) {
    const comment = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$/.exec(text)?.[1] ?? /\s\/\/ (.*)$/.exec(text)?.[1]
    if (comment !== undefined) lines.push({ line: index + 1, text: withoutCode(comment) })
  }
  return lines
}

function withoutCode(text: string): string {
  return text
    .replaceAll(/`[^`]*`/g, ' ')
    .replaceAll(/<!--.*?-->/g, ' ')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/https?:\/\/\S+/g, ' ')
}

/** A form of sentence that docs/style.md replaces. */
interface SentenceForm {
  readonly form: RegExp
  /** What to write. */
  readonly write: string
}

const RATE_NOUNS = 'second|minute|hour|day|line'

const FORMS: readonly SentenceForm[] = [
  { form: /\b(?:go|goes|going|went) on\b(?! (?:Error|to))/i, write: 'continue' },
  { form: /\bputs? out\b/i, write: 'output' },
  { form: /\bof (?:before|now)\b/i, write: 'earlier, current' },
  { form: /\bat work\b/i, write: 'running' },
  { form: /\bfor nobody\b/i, write: 'idle' },
  { form: /\b(?:tells?|told|telling) (?:them )?apart\b/i, write: 'distinguish' },
  { form: /\bno (?:command|option) of\b/i, write: 'not available, unknown' },
  { form: /\bMost (?!of\b)[a-z]+ (?:of one|that one|that may|at a time|per|a) /, write: 'maximum' },
  {
    form: new RegExp(String.raw`\b(?:\d(?:[\d,.]*\d)?(?: [kM]?B| [a-z]+s| %)?|times) an? (?:${RATE_NOUNS})\b`),
    write: 'per',
  },
]

/**
 * Finds sentence forms that docs/style.md replaces.
 * @returns One line per form: `path:line: "goes on": write "continue"`.
 */
export function findSentenceForms(path: string, prose: readonly ProseLine[]): string[] {
  return prose.flatMap(({ line, text }) =>
    FORMS.flatMap(({ form, write }) => {
      const found = form.exec(text)?.[0]
      return found === undefined ? [] : [`${path}:${line}: "${found.trim()}": write "${write}"`]
    }),
  )
}

if (import.meta.main) {
  /** Pages that quote the interface, and the page that lists the refused words. */
  const EXEMPT = new Set(['docs/interface.md', 'docs/rules.md', 'docs/conformance.md', 'docs/style.md'])

  const root = join(import.meta.dirname, '../..')
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const glossary = readGlossary(read('docs/style.md'))
  const areas = process.argv.slice(2)
  const paths = globSync('**/*.{md,ts,tsx,mts,cts}', { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
    .filter((path) => !EXEMPT.has(path) && (areas.length === 0 || areas.some((area) => path.startsWith(area))))
    .toSorted()

  const found = paths.flatMap((path) => {
    const prose = path.endsWith('.md') ? markdownProse(read(path)) : commentProse(read(path))
    return [...findRefused(path, prose, glossary), ...findSentenceForms(path, prose)]
  })
  for (const line of found) console.error(line)
  console.log(`${paths.length} files, ${found.length} words and forms that docs/style.md refuses`)
  process.exitCode = found.length === 0 ? 0 : 1
}
