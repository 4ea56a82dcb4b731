import type { NarrationReport, ReportedPage } from '../build/report-file.ts'
import { count } from '../build/progress.ts'
import { costOf } from '../build/report.ts'

/** What a change costs. */
export interface NarrationDiff {
  /** Pages that differ, by name. */
  readonly pages: readonly PageDiff[]
  /** New calls. A text that several pages have is one call. */
  readonly calls: number
  readonly characters: number
  /** Price of the new calls, with a price for a million characters. */
  readonly cost?: number
}

/** A page that differs. */
export interface PageDiff {
  readonly page: string
  readonly change: 'new' | 'changed' | 'removed'
  /** New calls of the page. */
  readonly calls: number
  readonly characters: number
}

/**
 * Compares the reports of two builds. A text that was narrated before on any page costs nothing.
 * @param pricePerMillion Price of a million characters.
 */
export function diffReports(before: NarrationReport, after: NarrationReport, pricePerMillion?: number): NarrationDiff {
  const paid = new Set(before.pages.flatMap(({ calls }) => calls.map(({ key }) => key)))
  const known = new Map(before.pages.map((one) => [one.page, one]))
  const pages: PageDiff[] = []
  for (const one of after.pages) {
    const was = known.get(one.page)
    known.delete(one.page)
    if (was !== undefined && keysOf(was) === keysOf(one)) continue
    const fresh = unpaid(one, paid)
    pages.push({ page: one.page, change: was === undefined ? 'new' : 'changed', ...sumOf(fresh) })
  }
  for (const page of known.keys()) pages.push({ page, change: 'removed', calls: 0, characters: 0 })
  const all = sumOf(new Map(after.pages.flatMap((one) => [...unpaid(one, paid)])))
  return {
    pages: pages.toSorted((a, b) => (a.page < b.page ? -1 : 1)),
    ...all,
    ...(pricePerMillion === undefined ? {} : { cost: Number(costOf(all.characters, pricePerMillion)) }),
  }
}

/** The comparison as lines for people. */
export function diffLines({ pages, calls, characters, cost }: NarrationDiff): string[] {
  const price = cost === undefined ? '' : `, cost ${cost.toFixed(4)}`
  const width = Math.max(0, ...pages.map(({ page }) => page.length))
  return [
    `narration: ${count(pages.length, 'page')} changed, ${count(calls, 'call')}, ${count(characters, 'character')}${price}`,
    ...pages.map(({ page, change, ...own }) => {
      const sent = own.calls === 0 ? '' : `  ${count(own.calls, 'call')}, ${count(own.characters, 'character')}`
      return `  ${page.padEnd(width)}  ${sent === '' ? change : change.padEnd('removed'.length)}${sent}`
    }),
  ]
}

function keysOf({ calls }: ReportedPage): string {
  return calls.map(({ key }) => key).join()
}

/** Characters of the calls of a page that are not paid, by key. */
function unpaid({ calls }: ReportedPage, paid: ReadonlySet<string>): ReadonlyMap<string, number> {
  return new Map(calls.flatMap(({ key, characters }) => (paid.has(key) ? [] : [[key, characters] as const])))
}

function sumOf(calls: ReadonlyMap<string, number>): { readonly calls: number; readonly characters: number } {
  return { calls: calls.size, characters: [...calls.values()].reduce((sum, one) => sum + one, 0) }
}
