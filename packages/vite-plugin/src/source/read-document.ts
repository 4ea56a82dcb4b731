import { extractText, type SourceKind } from '../text/extract-text.ts'
export interface SpeakableBlock { readonly kind: string; readonly level?: number; readonly text: string; readonly id?: string }
export interface SpeakableDocument {
  readonly frontMatter: Readonly<Record<string, unknown>>
  readonly title: string | undefined
  readonly language: string | undefined
  readonly blocks: readonly SpeakableBlock[]
}
export function readDocument(source: string, kind: SourceKind, _text: object): SpeakableDocument {
  const blocks = extractText(source, kind).split('\n\n').filter((text) => text !== '').map((text) => ({ kind: 'paragraph', text }))
  return { frontMatter: {}, title: undefined, language: undefined, blocks }
}
