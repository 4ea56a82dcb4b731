import type { SpeakableDocument } from '@svc-audio/text'
import type { SpokenTextOptions } from '@svc-audio/text/sentences'
import type { SourceKind } from './source-kind.ts'

/**
 * Reads the speakable text of a source. The first call loads the Markdown parser, which a warm build does not need.
 * @param content Content of the source.
 * @param spoken How the text is spoken. HTML and plain text have fewer choices. @default those of the reader
 */
export async function readDocument(
  content: string,
  kind: SourceKind,
  spoken: SpokenTextOptions = {},
): Promise<SpeakableDocument> {
  const { readHtml, readMarkdown, readPlainText } = await import('@svc-audio/text')
  const { props, lineBreaks, ...html } = spoken
  if (kind === 'html') return readHtml(content, html)
  if (kind === 'plain') return readPlainText(content, { urls: spoken.urls, emoji: spoken.emoji })
  const document = readMarkdown(content, { ...html, props, lineBreaks, mdx: kind === 'mdx' })
  return document.text.includes('{{') ? withoutExpressions(document) : document
}

/** Removes `{{ … }}`: Vue replaces it when the page is shown, so it is no text. */
function withoutExpressions(document: SpeakableDocument): SpeakableDocument {
  const blocks = document.blocks.flatMap((block) => {
    const text = withoutExpression(block.text).trim()
    const spans = block.spans?.map((span) => ({ ...span, text: withoutExpression(span.text) }))
    return /[\p{L}\p{N}]/u.test(text) ? [{ ...block, text, ...(spans === undefined ? {} : { spans }) }] : []
  })
  return { ...document, blocks, text: blocks.map(({ text }) => text).join('\n\n') }
}

function withoutExpression(text: string): string {
  return text.replace(/\{\{[^{}]*\}\}/g, '').replace(/ {2,}/g, ' ')
}
