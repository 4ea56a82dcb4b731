/** A table with padded columns, as the formatter of the repository leaves it. The first row is the head. */
export function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows
  const widths = head.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((one, column) => one.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

/** A page with other tables. Each replaces the first table below its heading, which is written with its marks. */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [heading, own]) => {
    const start = text.indexOf('\n| ', text.indexOf(`\n${heading}\n`)) + 1
    const rest = text.slice(start).split('\n')
    const end = rest.findIndex((line) => !line.startsWith('|'))
    return text.slice(0, start) + [own, ...(end < 0 ? [] : rest.slice(end))].join('\n')
  }, page)
}
