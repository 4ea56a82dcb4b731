import { htmlText } from './html.ts'
import { markdownText } from './markdown.ts'

/**
 * Changes whenever the same source may give another text. It is part of every cache key, so that audio made from an
 * older reading is never mistaken for the new one.
 */
export const EXTRACTOR_VERSION = 1

/** Kinds of source that can be read. */
export type SourceKind = 'markdown' | 'html' | 'plain'

const KINDS: Readonly<Record<string, SourceKind>> = {
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
  txt: 'plain',
}

/** File extensions that {@link sourceKind} knows, for messages. */
export const SOURCE_EXTENSIONS: readonly string[] = Object.keys(KINDS).map((extension) => `.${extension}`)

/** The kind of a file by its extension; `undefined` for one that cannot be read. */
export function sourceKind(file: string): SourceKind | undefined {
  const extension = /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(KINDS, extension) ? KINDS[extension] : undefined
}

/** What is to be said of a source: empty when there is nothing. Paragraphs are separated by an empty line. */
export function extractText(source: string, kind: SourceKind): string {
  const text = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  if (kind === 'markdown') return markdownText(text)
  return kind === 'html' ? htmlText(text) : text.trim()
}
