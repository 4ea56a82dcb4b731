import type { InstallSize } from './install-size.ts'

/** A row of the table: a package, and what its install is called. */
export interface SizeRow extends InstallSize {
  /** Words behind the name. @default none */
  readonly note?: string
}

const MEBI = 1024 * 1024

/** Share by which sizes may differ from the table: other machines install other builds of a package. */
const TOLERANCE = 0.05

/** The table in Markdown, the largest install first. */
export function renderSizes(rows: readonly SizeRow[]): string {
  const lines = rows
    .toSorted((left, right) => right.bytes - left.bytes)
    .map(({ name, note, packages, bytes }) => {
      const label = `\`${name}\`${note === undefined ? '' : ` ${note}`}`
      return `| ${label} | ${packages} | ${(bytes / MEBI).toFixed(1)} |`
    })
  return ['| Install | Packages | MiB |', '| --- | --- | --- |', ...lines].join('\n')
}

/** Rows of a table of a page: label to packages and MiB. */
function readRows(table: string): ReadonlyMap<string, readonly [packages: number, mebibytes: number]> {
  const lines = table.split('\n').filter((line) => line.startsWith('| `'))
  const cells = lines.map((line) => line.split('|').map((cell) => cell.trim()))
  return new Map(cells.map(([, label = '', packages, size]) => [label, [Number(packages), Number(size)] as const]))
}

/** One line for each row of the measured table that the page does not have, or has with another size. */
export function findWrongSizes(page: string, measured: string): readonly string[] {
  const written = readRows(page)
  const rows = [...readRows(measured)]
  const gone = [...written.keys()].filter((label) => !readRows(measured).has(label))
  const wrong = rows.flatMap(([label, [packages, size]]) => {
    const [was, before] = written.get(label) ?? []
    if (was === undefined || before === undefined) return [`${label} is missing`]
    const differs = was !== packages || Math.abs(before - size) > Math.max(0.1, size * TOLERANCE)
    return differs ? [`${label} has ${packages} packages and ${size} MiB, not ${was} and ${before}`] : []
  })
  return [...gone.map((label) => `${label} is no install`), ...wrong]
}
