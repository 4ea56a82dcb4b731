import { toDocument } from '../blocks/to-document.ts'
import type { SpeakableDocument } from '../document.ts'
import { checkOptions, type ReadMarkdownOptions } from '../options.ts'
import { withoutMarks } from '../spoken/marks.ts'
import { readFrontMatter } from './front-matter.ts'
import { flattened, parserOf } from './parser.ts'
import { TokenReader } from './token-reader.ts'

/**
 * Reads Markdown as it is read aloud: CommonMark with tables, strikethrough, task lists, footnotes, front matter, math,
 * containers, template tags and raw HTML; MDX with `{ mdx: true }`. Left out: code blocks, addresses of links, footnote
 * marks, emoji, badges, formulas. A mark that is never closed does not lose the text behind it. Takes linear time.
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
  const blocks = new TokenReader(tokens, options).read().end()
  return toDocument({ blocks, options, frontMatter: data, problems })
}
