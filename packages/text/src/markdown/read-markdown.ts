import createParser, { type MarkdownIt } from 'markdown-it'
import footnote from 'markdown-it-footnote'
import { LineCounter as Lines, parseDocument } from 'yaml'
import { languageOf, toDocument } from '../blocks/to-document.ts'
import type { SourceProblem, SpeakableDocument } from '../document.ts'
import { checkOptions, type ReadMarkdownOptions } from '../options.ts'
import { withoutMarks } from '../spoken/marks.ts'
import { addBlockRules, guardBlockRules, keepExcessCells } from './block-rules.ts'
import { addInlineRules } from './inline-rules.ts'
import { addMdxRules } from './mdx.ts'
import { TokenReader } from './token-reader.ts'

/**
 * Converts Markdown to speakable text: CommonMark with tables, strikethrough, task lists, footnotes, front matter,
 * math, containers, template tags and raw HTML. With `{ mdx: true }` it reads MDX. It omits code blocks, addresses of
 * links, footnote marks, emoji, badges and formulas. An unclosed mark does not lose the text after it. Takes linear
 * time.
 *
 * @throws TextOptionError naming the option
 * @example
 * const { title, language, text } = readMarkdown(await readFile('post.md', 'utf8'))
 */
export function readMarkdown(source: string, options: ReadMarkdownOptions = {}): SpeakableDocument {
  checkOptions('markdown', options)
  const text = withoutMarks(source)
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
  const { data, problems, body } = readFrontMatter(text)
  const tokens = parserOf(options.mdx === true ? 'mdx' : 'markdown').parse(flattened(body), {})
  const language = options.language ?? languageOf(data)
  const reader = new TokenReader(tokens, { ...options, ...(language === undefined ? {} : { language }) })
  const blocks = reader.read().end()
  return toDocument({ blocks, options, frontMatter: data, problems: [...problems, ...reader.problems] })
}

/**
 * Converts Markdown, e.g. a language model's answer, to speakable text: the `text` of {@link readMarkdown}. Pause
 * markers stay.
 *
 * @throws TextOptionError naming the option
 */
export function speakable(text: string, options: ReadMarkdownOptions = {}): string {
  return readMarkdown(text, options).text
}

/** Nesting limit of markdown-it. It drops deeper text, so `flattened()` limits the nesting of sources. */
const NESTING_MAX = 200
/** List and quotation marks that may begin a line. */
const MARKS_MAX = 30
const CONTAINERS = new RegExp(
  `^((?:[ \\t]{0,200}(?:>|(?:[-*+]|\\d{1,9}[.)])(?=[ \\t]))){${MARKS_MAX}})((?:[ \\t]*(?:>|(?:[-*+]|\\d{1,9}[.)])(?=[ \\t])))+)`,
  'gm',
)
/** Columns that a line may be indented. */
const INDENT_MAX = 100
const DEEP_INDENT = new RegExp(`^( {${INDENT_MAX}})[ \\t]+`, 'gm')

const parsers: { markdown?: MarkdownIt; mdx?: MarkdownIt } = {}

/** The parser of Markdown or MDX. It has no state between documents. */
function parserOf(kind: 'markdown' | 'mdx'): MarkdownIt {
  return (parsers[kind] ??= makeParser(kind))
}

/** Removes excessive nesting from a source. The text stays. */
function flattened(source: string): string {
  return source.replaceAll(CONTAINERS, '$1').replaceAll(DEEP_INDENT, '$1')
}

function makeParser(kind: 'markdown' | 'mdx'): MarkdownIt {
  const parser: MarkdownIt = createParser({ html: true })
  parser.set({ maxNesting: NESTING_MAX })
  addBlockRules(parser)
  guardBlockRules(parser)
  parser.use(footnote)
  keepExcessCells(parser)
  addInlineRules(parser)
  if (kind === 'mdx') addMdxRules(parser)
  return parser
}

/** Front matter and the rest of the source. */
interface FrontMatter {
  readonly data: Readonly<Record<string, unknown>>
  readonly problems: readonly SourceProblem[]
  /** The source with empty lines in place of the front matter. Line numbers stay the same. */
  readonly body: string
}

const YAML = /^---[ \t]*\n((?:[\s\S]*?\n)?)(?:---|\.\.\.)[ \t]*(?:\n|$)/
const TOML = /^\+\+\+[ \t]*\n(?:[\s\S]*?\n)?\+\+\+[ \t]*(?:\n|$)/
const KEY = /^[ \t]*(?:#.*|["']?[\w][\w .-]*["']?[ \t]*:(?:[ \t].*)?)?$/

/** Reads the YAML front matter of a source. Text between two horizontal rules is not front matter. */
function readFrontMatter(source: string): FrontMatter {
  const toml = TOML.exec(source)?.[0]
  if (toml !== undefined) {
    const message = 'TOML front matter is left out: write it as YAML between --- lines'
    return { data: {}, problems: [{ message, line: 1 }], body: withoutLines(source, toml) }
  }
  const [block, yaml] = YAML.exec(source) ?? []
  if (block === undefined || yaml === undefined) return { data: {}, problems: [], body: source }
  const lines = new Lines()
  const document = parseDocument(yaml, { lineCounter: lines })
  const data = document.errors.length === 0 ? asRecord(valueOf(document)) : undefined
  if (data !== undefined) return { data, problems: [], body: withoutLines(source, block) }
  const first = yaml.split('\n').find((line) => line.trim() !== '') ?? ''
  if (!KEY.test(first)) return { data: {}, problems: [], body: source }
  const problems = document.errors.map(({ message, pos }) => ({
    message: `Invalid front matter: ${message.split('\n', 1)[0]?.replace(/ at line \d+.*$/, '') ?? ''}`,
    line: lines.linePos(pos[0]).line + 1,
  }))
  return { data: {}, problems, body: withoutLines(source, block) }
}

/** The value of a document. `undefined` if its aliases grow without limit. */
function valueOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === null) return {}
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withoutLines(source: string, block: string): string {
  return block.replaceAll(/[^\n]+/g, '') + source.slice(block.length)
}
