/** How a command prints a list. */
export interface ListFormat {
  /** Whether the output is JSON. @default false, a table for people */
  readonly json?: boolean
}

/** Returns a value as indented JSON that ends with a newline. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** Returns rows with aligned columns. The last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map(({ length }) => length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/**
 * Returns a time as ISO 8601.
 * @param seconds Seconds since 1970. @default no time
 */
export function isoTime(seconds: number): string
export function isoTime(seconds: number | undefined): string | undefined
export function isoTime(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(Math.floor(seconds) * 1000).toISOString()
}
