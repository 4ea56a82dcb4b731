import type { MarkdownIt, StateBlock, Token } from 'markdown-it'

/**
 * Preserves the excess cells of a table row that has more cells than columns. GitHub drops them. Speakable text must
 * not lose them.
 */
export function keepExcessCells(parser: MarkdownIt): void {
  parser.core.ruler.before('inline', 'excess_cells', ({ src, tokens, Token: Cell }) => {
    if (!tokens.some(({ type }) => type === 'table_open')) return
    const lines = src.split('\n')
    for (let index = tokens.length - 1; index >= 0; index -= 1) {
      const row = tokens[index]
      if (row?.type !== 'tr_open' || row.map === null) continue
      const end = rowEnd(tokens, index)
      const columns = tokens.slice(index, end).filter(({ type }) => /^t[dh]_open$/.test(type)).length
      const excess = cellsOf(lines[row.map[0]] ?? '').slice(columns)
      if (excess.length > 0) tokens.splice(end, 0, ...excess.flatMap((cell) => cellTokens(Cell, cell, row.map)))
    }
  })
}

function rowEnd(tokens: readonly Token[], start: number): number {
  let end = start
  while (tokens[end] !== undefined && tokens[end]?.type !== 'tr_close') end += 1
  return end
}

/** The cells of a row, split at each bar without a backslash, as on GitHub. */
function cellsOf(line: string): readonly string[] {
  const text = line.replace(/^[\s>]*\|/, '').replace(/(?<!\\)\|\s*$/, '')
  return text.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim())
}

function cellTokens(Cell: StateBlock['Token'], content: string, map: [number, number] | null): readonly Token[] {
  const inline = new Cell('inline', '', 0)
  inline.content = content
  inline.map = map
  inline.children = []
  return [new Cell('td_open', 'td', 1), inline, new Cell('td_close', 'td', -1)]
}
