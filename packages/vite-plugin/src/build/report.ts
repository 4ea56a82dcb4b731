import type { NarrationScript } from '../narrator/script.ts'
import { count } from './progress.ts'

/** Default limit of Workbox: its service workers do not precache larger files. */
const PRECACHE_BYTES = 2 * 1024 * 1024

/** A page in the closing table. */
export interface ReportRow {
  readonly source: string
  /** `new`: all segments needed a call. `part`: some did. `planned`: a dry run omits the audio. */
  readonly state: 'cached' | 'new' | 'part' | 'planned' | 'stale' | 'failed' | 'recording'
  readonly durationSeconds: number | undefined
  /** Characters of the calls. */
  readonly characters: number
  /** Calls made, or planned in a dry run. */
  readonly calls: number
  readonly bytes: number | undefined
  /** What the page says. Absent for a recording. */
  readonly script?: NarrationScript | undefined
}

/**
 * The table at the end of a build: page, length, state, characters and size.
 * @param pricePerMillion Price of a million characters. Without it the table has no prices.
 * @param total Calls of the build. Pages of a dry run may share some.
 */
export function reportLines(
  rows: readonly ReportRow[],
  pricePerMillion: number | undefined,
  { calls, characters }: { readonly calls: number; readonly characters: number } = sumOf(rows),
): string[] {
  const cost = (sent: number): string => (pricePerMillion === undefined ? '' : costOf(sent, pricePerMillion))
  const cells = rows.map((row) => [
    row.source,
    row.durationSeconds === undefined ? '' : clock(row.durationSeconds),
    row.state,
    row.calls === 0 ? '' : `${count(row.calls, 'call')}, ${count(row.characters, 'character')}`,
    row.calls === 0 ? '' : cost(row.characters),
    row.bytes === undefined ? '' : `${(row.bytes / 1000).toFixed(1)} kB`,
  ])
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const total = `${count(rows.length, 'page')}, ${count(calls, 'call')}, ${count(characters, 'character')}`
  const price = pricePerMillion === undefined ? '' : `, cost ${cost(characters)}`
  return [
    `narration: ${total}${price}`,
    ...cells.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()),
    ...largeFiles(rows),
  ]
}

/** Names the files that a service worker does not precache. */
function largeFiles(rows: readonly ReportRow[]): string[] {
  const large = rows.filter(({ bytes }) => bytes !== undefined && bytes > PRECACHE_BYTES)
  if (large.length === 0) return []
  return [
    `narration: ${count(large.length, 'file')} over 2 MiB, the precache limit of Workbox: raise ` +
      `maximumFileSizeToCacheInBytes, or cache them at their first play. The largest is of ${largest(large)}`,
  ]
}

function largest(rows: readonly ReportRow[]): string {
  const [first] = rows.toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0))
  return first?.source ?? ''
}

/** The price of characters. */
export function costOf(characters: number, pricePerMillion: number): string {
  return ((characters * pricePerMillion) / 1_000_000).toFixed(4)
}

function sumOf(rows: readonly ReportRow[]): { readonly calls: number; readonly characters: number } {
  return {
    calls: rows.reduce((sum, row) => sum + row.calls, 0),
    characters: rows.reduce((sum, row) => sum + row.characters, 0),
  }
}

/** Minutes and seconds, e.g. `1:05`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
