import type { SpeakableDocument } from '@svc-audio/text'
import type { SourceKind } from './source-kind.ts'

/**
 * Reads a source as it is read aloud. The first call loads the Markdown parser, which a warm build does not need.
 * @param content Content of the source.
 */
export async function readDocument(content: string, kind: SourceKind): Promise<SpeakableDocument> {
  const { readHtml, readMarkdown, readPlainText } = await import('@svc-audio/text')
  if (kind === 'html') return readHtml(content)
  if (kind === 'plain') return readPlainText(content)
  const document = readMarkdown(content, { mdx: kind === 'mdx' })
  return document.text.includes('{{') ? withoutExpressions(document) : document
}

/** `{{ … }}` in the HTML of a page, which Vue fills in when the page is shown, is none of its text. */
function withoutExpressions(document: SpeakableDocument): SpeakableDocument {
  const blocks = document.blocks.flatMap((block) => {
    const text = block.text
      .replace(/\{\{[^{}]*\}\}/g, '')
      .replace(/ {2,}/g, ' ')
      .trim()
    return /[\p{L}\p{N}]/u.test(text) ? [{ ...block, text }] : []
  })
  return { ...document, blocks, text: blocks.map(({ text }) => text).join('\n\n') }
}
