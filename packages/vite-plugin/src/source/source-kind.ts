/** Kinds of source that can be read. */
export type SourceKind = 'markdown' | 'mdx' | 'html' | 'plain'

const KINDS: Readonly<Record<string, SourceKind>> = {
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'mdx',
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
