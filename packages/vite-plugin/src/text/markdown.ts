import { MarkdownBlocks } from './markdown-blocks.ts'
import { inlineText } from './markdown-inline.ts'
import { endSentence, joinParagraphs } from './sentences.ts'

/** YAML between `---` lines or TOML between `+++` lines, at the very start. */
const FRONT_MATTER = /^(?:---[ \t]*\n(?:[\s\S]*?\n)?(?:---|\.\.\.)|\+\+\+[ \t]*\n(?:[\s\S]*?\n)?\+\+\+)[ \t]*(?:\n|$)/

/**
 * The speakable text of Markdown (CommonMark and GitHub's tables, task lists and footnotes, as far as speech cares).
 * Left out: front matter, code blocks, comments, footnotes, link addresses. Kept: text of links, `alt` of images, inline
 * code. Headings, list items and table rows become sentences.
 */
export function markdownText(source: string): string {
  // These two characters mark protected text further on; a source has no meaning for them.
  const text = source.replace(FRONT_MATTER, '').replace(/[\uE000\uE001]/g, '')
  const reader = new MarkdownBlocks()
  for (const line of text.split('\n')) reader.line(line)
  const { blocks, references } = reader.end()
  return joinParagraphs(
    blocks.map((block) => {
      const spoken = inlineText(block.text, references)
      return block.isSentence ? endSentence(spoken) : spoken
    }),
  )
}
