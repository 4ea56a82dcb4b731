import type { BenchRow } from './bench-case.ts'

const HEADER = ['name', 'ours', 'limit', 'peers', 'ratio', 'bar', 'ok']

/** The rows as one aligned table. */
export function table(rows: readonly BenchRow[]): string {
  const lines = [HEADER, ...rows.map(cells)]
  const widths = HEADER.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const rule = widths.map((width) => '─'.repeat(width))
  return [HEADER, rule, ...lines.slice(1)]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function cells(row: BenchRow): string[] {
  return [
    row.name,
    `${number(row.ours)} ${row.unit}`.trimEnd(),
    row.limit === null ? '' : number(row.limit),
    Object.entries(row.peers)
      .map(([name, value]) => `${name} ${number(value)}`)
      .join(', '),
    row.ratio === null ? '' : row.ratio.toFixed(2),
    row.bar,
    row.ok ? 'ok' : 'MISSED',
  ]
}

/** Three significant digits; whole numbers from 100. */
function number(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}
