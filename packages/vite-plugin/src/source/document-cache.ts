import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import type { SpeakableDocument } from '@svc-audio/text'
import type { SpokenTextOptions } from '@svc-audio/text/sentences'
import { stampOf, type WarmNotes } from '../narrator/warm-notes.ts'
import { readDocument } from './read-document.ts'
import type { SourceKind } from './source-kind.ts'

/** The document that `readDocument` returns, taken from the notes if this content was read so before. */
export async function knownDocument(
  content: string,
  kind: SourceKind,
  notes: WarmNotes,
  spoken?: SpokenTextOptions,
): Promise<SpeakableDocument> {
  const choices = spoken === undefined ? '' : ` ${hash('sha256', JSON.stringify(spoken))}`
  const name = `document ${kind} ${hash('sha256', content)}${choices}`
  const noted = notes.get(name)
  if (isDocument(noted)) return noted
  const document = await readDocument(content, kind, spoken)
  // YAML holds what JSON does not, e.g. infinity.
  const copy: unknown = JSON.parse(JSON.stringify(document.frontMatter))
  if (isDeepStrictEqual(copy, document.frontMatter)) notes.set(name, document)
  return document
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
  if (typeof value !== 'object' || value === null) return false
  const { frontMatter, blocks, text, problems }: Readonly<Record<string, unknown>> = { ...value }
  const hasLists = Array.isArray(blocks) && Array.isArray(problems)
  return typeof frontMatter === 'object' && frontMatter !== null && hasLists && typeof text === 'string'
}
