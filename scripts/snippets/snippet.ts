/** A fenced code block of a Markdown page. */
export interface Snippet {
  /** Path of the page, relative to the root. */
  readonly page: string
  /** 1-based line of the opening fence. */
  readonly line: number
  /** First word after the fence, such as `ts`. */
  readonly language: string
  readonly code: string
  /** The block's source file, with an optional `#region`: from `<!-- snippet: path#region -->`. */
  readonly source: string | undefined
  /** Whether the block continues the page's previous block: from `<!-- continues -->`. */
  readonly continues: boolean
}

const MARKER = /^<!-- (?:snippet: (?<source>\S+)|(?<continues>continues)) -->$/

/** Reads the fenced code blocks of a page. A marker comment applies to the next block. */
export function readSnippets(page: string, markdown: string): readonly Snippet[] {
  const snippets: Snippet[] = []
  let open: { fence: string; indent: number; line: number; language: string; code: string[] } | undefined
  let marker: { source: string | undefined; continues: boolean } = { source: undefined, continues: false }
  for (const [index, text] of markdown.split('\n').entries()) {
    if (open !== undefined) {
      if (text.trim().startsWith(open.fence) && text.trim() === '`'.repeat(text.trim().length)) {
        const { line, language, code } = open
        snippets.push({ page, line, language, code: `${code.join('\n')}\n`, ...marker })
        open = undefined
        marker = { source: undefined, continues: false }
      } else open.code.push(text.slice(Math.min(open.indent, text.search(/\S|$/))))
      continue
    }
    const groups = MARKER.exec(text.trim())?.groups
    if (groups !== undefined) {
      marker = { source: groups['source'], continues: groups['continues'] !== undefined }
      continue
    }
    const [, spaces = '', fence, language = ''] = /^(\s*)(`{3,})(\w*)/.exec(text) ?? []
    if (fence !== undefined) open = { fence, indent: spaces.length, line: index + 1, language, code: [] }
  }
  return snippets
}
