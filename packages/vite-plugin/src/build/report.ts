import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { characters as charactersOf, type NarrationScript, segmentKey } from '../script.ts'

/** Default limit of Workbox: its service workers do not precache larger files. */
const PRECACHE_BYTES = 2 * 1024 * 1024
/** Version of the layout of the file. */
const REPORT_VERSION = 1

/** A number of calls, and of the characters that they send. */
export interface Calls {
  readonly calls: number
  readonly characters: number
}

/** A page in the closing table, with its calls: made, or planned in a dry run. */
export interface ReportRow extends Calls {
  readonly source: string
  /** `new`: all segments needed a call. `part`: some did. `planned`: a dry run omits the audio. */
  readonly state: 'cached' | 'new' | 'part' | 'planned' | 'stale' | 'failed' | 'recording'
  readonly durationSeconds: number | undefined
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
  total: Calls = sumOf(rows),
): string[] {
  const cells = rows.map((row) => [
    row.source,
    row.durationSeconds === undefined ? '' : clock(row.durationSeconds),
    row.state,
    row.calls === 0 ? '' : callsText(row),
    row.calls === 0 || pricePerMillion === undefined ? '' : costOf(row.characters, pricePerMillion),
    row.bytes === undefined ? '' : `${(row.bytes / 1000).toFixed(1)} kB`,
  ])
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const price = pricePerMillion === undefined ? '' : `, cost ${costOf(total.characters, pricePerMillion)}`
  return [
    `narration: ${count(rows.length, 'page')}, ${callsText(total)}${price}${freeText(rows)}`,
    ...cells.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()),
    ...largeFiles(rows),
  ]
}

/** How many calls the cache has saved. */
function freeText(rows: readonly ReportRow[]): string {
  // A page that has failed, or has its last audio, has saved none.
  const made = rows.filter(({ state }) => state !== 'failed' && state !== 'stale')
  const free = made.reduce((sum, { calls, script }) => sum + Math.max(0, (script?.segments.length ?? 0) - calls), 0)
  return free === 0 ? '' : `; ${freeCalls(free)}, the cache has ${free === 1 ? 'it' : 'them'}`
}

function freeCalls(free: number): string {
  return `${count(free, 'call is', 'calls are')} free`
}

/** Names the files that a service worker does not precache. */
function largeFiles(rows: readonly ReportRow[]): string[] {
  const large = rows
    .filter(({ bytes = 0 }) => bytes > PRECACHE_BYTES)
    .toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0))
  const [largest] = large
  if (largest === undefined) return []
  return [
    `narration: ${count(large.length, 'file')} over 2 MiB, the precache limit of Workbox: raise ` +
      `maximumFileSizeToCacheInBytes, or cache them at their first play. The largest is of ${largest.source}`,
  ]
}

/** What a build narrates, as `narration({ report })` writes it. */
export interface NarrationReport {
  readonly version: number
  readonly pages: readonly ReportedPage[]
}

/** A page of a report. */
export interface ReportedPage {
  /** Source and options of the page, e.g. `posts/a.md?voice_id=slt`. */
  readonly page: string
  readonly state: string
  readonly durationSeconds?: number | undefined
  readonly bytes?: number | undefined
  /** Key and characters of each call of the page, also of those in the cache. */
  readonly calls: readonly { readonly key: string; readonly characters: number }[]
}

/** Writes the report of a build. */
export function writeReport(path: string, rows: readonly ReportRow[]): void {
  const pages: ReportedPage[] = rows.map(({ source, state, durationSeconds, bytes, script }) => ({
    page: source,
    state,
    durationSeconds,
    bytes,
    calls:
      script?.segments.map((one) => ({ key: segmentKey(script, one), characters: charactersOf(one.spoken) })) ?? [],
  }))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify({ version: REPORT_VERSION, pages } satisfies NarrationReport, null, 2)}\n`)
}

/**
 * Parses a report.
 * @param name Name of the file, for the error.
 * @throws TypeError for any other text
 */
export function parseReport(text: string, name: string): NarrationReport {
  const { version, pages }: Readonly<Record<string, unknown>> = { ...Object(parseJson(text)) }
  if (version !== REPORT_VERSION || !Array.isArray(pages)) {
    throw new TypeError(`${name} is no report of narration({ report }): build again`)
  }
  const list: readonly unknown[] = pages
  return { version, pages: list.map((page) => readPage(page, name)) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readPage(value: unknown, name: string): ReportedPage {
  const { page, state, calls }: Readonly<Record<string, unknown>> = { ...Object(value) }
  if (typeof page !== 'string' || typeof state !== 'string' || !Array.isArray(calls)) {
    throw new TypeError(`${name} has a page without its name, state or calls: build again`)
  }
  const list: readonly unknown[] = calls
  return {
    page,
    state,
    calls: list.map((call) => {
      const { key, characters }: Readonly<Record<string, unknown>> = { ...Object(call) }
      if (typeof key !== 'string' || typeof characters !== 'number') {
        throw new TypeError(`${name}: a call of ${page} has no key or no characters: build again`)
      }
      return { key, characters }
    }),
  }
}

/** What a change costs: its new calls. A text that several pages have is one call. */
export interface NarrationDiff extends Calls {
  /** Pages that differ, by name. */
  readonly pages: readonly PageDiff[]
  /** How many other calls the pages have: they are paid. */
  readonly free: number
  /** Price of the new calls, with a price for a million characters. */
  readonly cost?: number
}

/** A page that differs, with its new calls. */
export interface PageDiff extends Calls {
  readonly page: string
  readonly change: 'new' | 'changed' | 'removed'
}

/**
 * Compares the reports of two builds. A text that was narrated before on any page costs nothing.
 * @param pricePerMillion Price of a million characters.
 */
export function diffReports(before: NarrationReport, after: NarrationReport, pricePerMillion?: number): NarrationDiff {
  const paid = new Set(before.pages.flatMap(({ calls }) => calls.map(({ key }) => key)))
  const known = new Map(before.pages.map((one) => [one.page, one]))
  const pages: PageDiff[] = []
  const fresh = new Map<string, number>()
  for (const one of after.pages) {
    const was = known.get(one.page)
    known.delete(one.page)
    const own = new Map(one.calls.flatMap(({ key, characters }) => (paid.has(key) ? [] : [[key, characters]])))
    for (const [key, characters] of own) fresh.set(key, characters)
    if (was !== undefined && keysOf(was) === keysOf(one)) continue
    pages.push({ page: one.page, change: was === undefined ? 'new' : 'changed', ...totalOf(own) })
  }
  for (const page of known.keys()) pages.push({ page, change: 'removed', calls: 0, characters: 0 })
  const all = totalOf(fresh)
  const every = new Set(after.pages.flatMap(({ calls }) => calls.map(({ key }) => key)))
  return {
    pages: pages.toSorted((a, b) => (a.page < b.page ? -1 : 1)),
    ...all,
    free: every.size - fresh.size,
    ...(pricePerMillion === undefined ? {} : { cost: Number(costOf(all.characters, pricePerMillion)) }),
  }
}

/** The comparison as lines for people. */
export function diffLines({ pages, cost, free, ...all }: NarrationDiff): string[] {
  const price = cost === undefined ? '' : `, cost ${cost.toFixed(4)}`
  const width = Math.max(0, ...pages.map(({ page }) => page.length))
  return [
    `narration: ${count(pages.length, 'page')} changed, ${callsText(all)}${price}; ${freeCalls(free)}`,
    ...pages.map(({ page, change, ...own }) => {
      const sent = own.calls === 0 ? change : `${change.padEnd('removed'.length)}  ${callsText(own)}`
      return `  ${page.padEnd(width)}  ${sent}`
    }),
  ]
}

function keysOf({ calls }: ReportedPage): string {
  return calls.map(({ key }) => key).join()
}

/** The total of calls by their keys. */
export function totalOf(calls: ReadonlyMap<string, number>): Calls {
  return { calls: calls.size, characters: [...calls.values()].reduce((sum, one) => sum + one, 0) }
}

function sumOf(rows: readonly Calls[]): Calls {
  return rows.reduce(
    (sum, { calls, characters }) => ({ calls: sum.calls + calls, characters: sum.characters + characters }),
    { calls: 0, characters: 0 },
  )
}

function callsText({ calls, characters }: Calls): string {
  return `${count(calls, 'call')}, ${count(characters, 'character')}`
}

/** The price of characters. */
export function costOf(characters: number, pricePerMillion: number): string {
  return ((characters * pricePerMillion) / 1_000_000).toFixed(4)
}

/** Minutes and seconds, e.g. `1:05`; from an hour on `1:15:05`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const shown = hours > 0 ? [hours, String(minutes).padStart(2, '0')] : [minutes]
  return [...shown, String(whole % 60).padStart(2, '0')].join(':')
}

/** A number with its unit in the singular or plural. */
export function count(value: number, unit: string, plural = `${unit}s`): string {
  return `${number(value)} ${value === 1 ? unit : plural}`
}

/** A number with commas between its thousands. */
export function number(value: number): string {
  // No `toLocaleString`: loading a locale takes longer than the rest of a warm build's report.
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
