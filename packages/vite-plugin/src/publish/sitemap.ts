import type { ListedNarration } from '../narration.ts'
import { absolute, element, textElement } from './xml.ts'

/** An address of a sitemap. */
export interface SitemapEntry {
  /** Absolute address of a page or its audio. */
  readonly loc: string
  /** When the page changed. Absent where the site does not know. */
  readonly lastmod?: Date
}

/** Options of {@link sitemapEntries}. */
export interface SitemapOptions {
  /** Address of the site, e.g. `https://blog.example`. */
  readonly site: string
  /** Address of a narration's page, and when it changed. `undefined` leaves out its page. */
  readonly page: (narration: ListedNarration) =>
    | {
        /** Address of the page, absolute or from the root of the site. */
        readonly link: string
        /** When the page changed. @default unknown */
        readonly date?: Date
      }
    | undefined
}

/**
 * Entries of a sitemap for the pages with audio, each with its audio behind it.
 * @throws TypeError when `site` is not an absolute address
 */
export function sitemapEntries(
  narrations: readonly ListedNarration[],
  { site, page }: SitemapOptions,
): readonly SitemapEntry[] {
  return narrations.flatMap((narration) => {
    const found = narration.src === '' ? undefined : page(narration)
    if (found === undefined) return []
    return [found.link, narration.src].map((address) => entryOf(absolute(address, site), found.date))
  })
}

function entryOf(loc: string, date: Date | undefined): SitemapEntry {
  return date === undefined ? { loc } : { loc, lastmod: date }
}

/** Entries as the `<url>` elements of a sitemap, one a line. */
export function sitemapXml(entries: readonly SitemapEntry[]): string {
  return entries
    .map(({ loc, lastmod }) =>
      element('url', {}, textElement('loc', loc) + textElement('lastmod', lastmod?.toISOString())),
    )
    .join('\n')
}
