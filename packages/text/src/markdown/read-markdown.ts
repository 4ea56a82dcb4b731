import { languageOf, toDocument } from '../blocks/to-document.ts'
import type { SpeakableDocument } from '../document.ts'
import { checkOptions, type ReadMarkdownOptions } from '../options.ts'
import { withoutMarks } from '../spoken/marks.ts'
import { readFrontMatter } from './front-matter.ts'
import { flattened, parserOf } from './parser.ts'
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
