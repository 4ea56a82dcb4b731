import type { SpeakableDocument } from '@svc-audio/text'
import type { SourceKind } from './source-kind.ts'

/**
 * Reads the speakable text of a source. The first call loads the Markdown parser, which a warm build does not need.
 * @param content Content of the source.
 */
export async function readDocument(content: string, kind: SourceKind): Promise<SpeakableDocument> {
  const { readHtml, readMarkdown, readPlainText } = await import('@svc-audio/text')
  if (kind === 'html') return readHtml(content)
  if (kind === 'plain') return readPlainText(content)
  const document = readMarkdown(content, { mdx: kind === 'mdx' })
  return document.text.includes('{{') ? withoutExpressions(document) : document
}

/** Removes `{{ … }}`: Vue replaces it when the page is shown, so it is no text. */
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
