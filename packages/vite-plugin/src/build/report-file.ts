import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { characters, segmentKey } from '../narrator/script.ts'
import type { ReportRow } from './report.ts'

/** Version of the layout of the file. */
const REPORT_VERSION = 1

/** What a build narrates, as `narration({ report })` writes it. */
export interface NarrationReport {
  readonly version: number
  readonly pages: readonly ReportedPage[]
}

/** A page of a report. */
export interface ReportedPage {
  /** Source and options of the page, e.g. `posts/a.md?voice=slt`. */
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
    calls: script?.segments.map((one) => ({ key: segmentKey(script, one), characters: characters(one.spoken) })) ?? [],
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
  const value = parseJson(text)
  const { version, pages }: Readonly<Record<string, unknown>> = { ...Object(value) }
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
      const { key, characters: sent }: Readonly<Record<string, unknown>> = { ...Object(call) }
      if (typeof key !== 'string' || typeof sent !== 'number') {
        throw new TypeError(`${name}: a call of ${page} has no key or no characters: build again`)
      }
      return { key, characters: sent }
    }),
  }
}
