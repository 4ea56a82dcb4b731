/** Kinds of source that can be read. */
export type SourceKind = 'markdown' | 'mdx' | 'html' | 'plain'

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

/** Kinds by the extension of files, with its dot. */
export type SourceKinds = Readonly<Record<string, SourceKind>>

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
