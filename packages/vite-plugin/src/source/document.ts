import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import type { SpeakableDocument } from '@svc-audio/text'
import type { SpokenTextOptions } from '@svc-audio/text/sentences'
import type { SourceKind, SourceKinds } from '../options.ts'
import { stampOf, type WarmNotes } from '../warm-notes.ts'

const KINDS: Readonly<Record<string, SourceKind>> = {
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'mdx',
  mdoc: 'markdown',
  svx: 'mdx',
  html: 'html',
  htm: 'html',
  txt: 'plain',
}

/** File extensions that {@link sourceKind} knows, for messages. */
export const SOURCE_EXTENSIONS: readonly string[] = Object.keys(KINDS).map((extension) => `.${extension}`)

/**
 * The kind of a file by its extension; `undefined` for one that cannot be read.
 * @param own Further extensions. The longest one that fits comes first, so that `.page.md` may differ from `.md`.
 */
export function sourceKind(file: string, own: SourceKinds = {}): SourceKind | undefined {
  const fitting = Object.keys(own).filter((extension) => file.toLowerCase().endsWith(extension.toLowerCase()))
  const [longest] = fitting.toSorted((a, b) => b.length - a.length)
  if (longest !== undefined) return own[longest]
  const extension = /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(KINDS, extension) ? KINDS[extension] : undefined
}

/**
 * Reads the speakable text of a source.
 * @param content Content of the source.
 * @param spoken How the text is spoken. HTML and plain text have fewer choices. @default those of the reader
 * @param notes Documents that were read before. Without notes the content is parsed.
 */
export async function readDocument(
  content: string,
  kind: SourceKind,
  spoken?: SpokenTextOptions,
  notes?: WarmNotes,
): Promise<SpeakableDocument> {
  const choices = spoken === undefined ? '' : ` ${hash('sha256', JSON.stringify(spoken))}`
  const name = `document ${kind} ${hash('sha256', content)}${choices}`
  const noted = notes?.get(name)
  if (isDocument(noted)) return noted
  const document = await parseDocument(content, kind, spoken)
  // YAML holds what JSON does not, e.g. infinity.
  const copy: unknown = JSON.parse(JSON.stringify(document.frontMatter))
  if (isDeepStrictEqual(copy, document.frontMatter)) notes?.set(name, document)
  return document
}

/** The first call loads the Markdown parser, which a warm build does not need. */
async function parseDocument(
  content: string,
  kind: SourceKind,
  { props, lineBreaks, ...html }: SpokenTextOptions = {},
): Promise<SpeakableDocument> {
  const { readHtml, readMarkdown, readPlainText } = await import('@svc-audio/text')
  if (kind === 'html') return readHtml(content, html)
  if (kind === 'plain') return readPlainText(content, { urls: html.urls, emoji: html.emoji })
  return readMarkdown(content, { ...html, props, lineBreaks, mdx: kind === 'mdx' })
}

/** Changes with the code that reads documents. */
export function readerVersion(): string {
  const require = createRequire(import.meta.url)
  const files = [import.meta.filename, ...entries(require, ['@svc-audio/text', 'parse5'])]
  const [, text] = files
  if (text !== undefined) files.push(...entries(createRequire(text), ['markdown-it']))
  return files.map(stampOf).join(' ')
}

function entries(require: NodeJS.Require, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    try {
      return [require.resolve(name)]
    } catch {
      return [] // has no entry for this loader
    }
  })
}

function isDocument(value: unknown): value is SpeakableDocument {
  const { frontMatter, blocks, text, problems }: Readonly<Record<string, unknown>> = { ...Object(value) }
  const hasLists = Array.isArray(blocks) && Array.isArray(problems)
  return typeof frontMatter === 'object' && frontMatter !== null && hasLists && typeof text === 'string'
}
