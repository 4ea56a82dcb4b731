import type { Lexicon } from './lexicon/lexicon.ts'
import { TextOptionError } from './text-option-error.ts'

/** Options of every reader. */
export interface ReadOptions {
  /** Web addresses: `host` speaks `example.com` only, `read` the whole address, `skip` nothing. @default 'host' */
  readonly urls?: 'host' | 'read' | 'skip' | undefined
  /** Emoji and emoji codes such as `:tada:`. @default 'skip' */
  readonly emoji?: 'skip' | 'keep' | undefined
  /** Respells terms in the blocks. `title` and front matter are not respelled. */
  readonly lexicon?: Lexicon | undefined
  /** Language of the text, e.g. `en-US`, for the lexicon. @default the document's language */
  readonly language?: string | undefined
}

/** Options of the HTML and Markdown readers. */
export interface ReadHtmlOptions extends ReadOptions {
  /** Code blocks: fenced code, indented code and `<pre>`. @default 'skip' */
  readonly codeBlocks?: 'skip' | 'read' | undefined
  /** Code within a sentence. @default 'read' */
  readonly inlineCode?: 'skip' | 'read' | undefined
  /** Alternative texts of images. @default 'alt' */
  readonly images?: 'alt' | 'skip' | undefined
  /** Alternative texts of badge images, e.g. of shields.io. @default 'skip' */
  readonly badges?: 'skip' | 'read' | undefined
  /** Tables: `rows` speaks the cells of a row, `labelled` puts each column's heading before its cell. @default 'rows' */
  readonly tables?: 'rows' | 'labelled' | 'skip' | undefined
  /** TeX formulas. Short inline ones such as `$x$` are always spoken. @default 'skip' */
  readonly math?: 'skip' | 'read' | undefined
  /** Abbreviations with a definition: `expand` speaks the definition. @default 'keep' */
  readonly abbreviations?: 'keep' | 'expand' | undefined
  /** Texts of footnotes. Footnote marks are never spoken. @default 'skip' */
  readonly footnotes?: 'skip' | 'read' | undefined
  /** Numbers of ordered lists. @default 'read' */
  readonly listNumbers?: 'read' | 'skip' | undefined
  /**
   * `add` adds a full stop to a heading, list item, table row or caption without final punctuation, so it does not run
   * into the next block.
   * @default 'add'
   */
  readonly endMarks?: 'add' | 'keep' | undefined
  /** Reads only the elements that this function accepts, e.g. `(name) => name === 'article'`. @default all of the page */
  readonly select?: ((name: string, attributes: Readonly<Record<string, string>>) => boolean) | undefined
}

/** Options of {@link readMarkdown} and {@link speakable}. */
export interface ReadMarkdownOptions extends Omit<ReadHtmlOptions, 'select'> {
  /** The source is MDX: leaves out `import`, `export`, JSX tags and `{expressions}`. @default false */
  readonly mdx?: boolean | undefined
  /** Line ends inside a paragraph: `join` makes spaces of them, `keep` line breaks. @default 'join' */
  readonly lineBreaks?: 'join' | 'keep' | undefined
}

type Check = (value: unknown) => string | undefined

const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? undefined : `must be ${quoted(values)}`

const COMMON: Readonly<Record<string, Check>> = {
  urls: oneOf('host', 'read', 'skip'),
  emoji: oneOf('skip', 'keep'),
  lexicon: (value) =>
    typeof value === 'object' && value !== null && 'respell' in value ? undefined : 'must be made by createLexicon()',
  language: (value) => (typeof value === 'string' ? undefined : "must be a language tag such as 'en-US'"),
}

const HTML: Readonly<Record<string, Check>> = {
  ...COMMON,
  codeBlocks: oneOf('skip', 'read'),
  inlineCode: oneOf('skip', 'read'),
  images: oneOf('alt', 'skip'),
  badges: oneOf('skip', 'read'),
  tables: oneOf('rows', 'labelled', 'skip'),
  math: oneOf('skip', 'read'),
  abbreviations: oneOf('keep', 'expand'),
  footnotes: oneOf('skip', 'read'),
  listNumbers: oneOf('read', 'skip'),
  endMarks: oneOf('add', 'keep'),
}

type Reader = 'plain' | 'html' | 'markdown'

const CHECKS: Readonly<Record<Reader, Readonly<Record<string, Check>>>> = {
  plain: COMMON,
  html: { ...HTML, select: (value) => (typeof value === 'function' ? undefined : 'must be a function') },
  markdown: {
    ...HTML,
    mdx: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
    lineBreaks: oneOf('join', 'keep'),
  },
}

/**
 * Checks the options of a reader.
 * @throws TextOptionError naming the option
 */
export function checkOptions(reader: Reader, options: object): void {
  const checks = CHECKS[reader]
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) {
      throw new TextOptionError(name, `${name} is not an option: use ${Object.keys(checks).join(', ')}`)
    }
    const problem = value === undefined ? undefined : check(value)
    if (problem !== undefined) throw new TextOptionError(name, `${name} ${problem}`)
  }
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(' or ')
}
