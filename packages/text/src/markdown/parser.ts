import createParser, { type MarkdownIt } from 'markdown-it'
import footnote from 'markdown-it-footnote'
import { addBlockRules } from './block-rules.ts'
import { guardBlockRules } from './guards.ts'
import { addInlineRules } from './inline-rules.ts'
import { keepExcessCells } from './table-cells.ts'
import { addMdxRules } from './mdx-rules.ts'

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
export function parserOf(kind: 'markdown' | 'mdx'): MarkdownIt {
  return (parsers[kind] ??= makeParser(kind))
}

/** Removes excessive nesting from a source. The text stays. */
export function flattened(source: string): string {
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
