import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Finds links between pages of a built site that lead to no page, and anchors that no heading has.
 * @returns One line for each page and link
 */
export function findDeadLinks(dist: string): string[] {
  const pages = globSync('**/*.html', { cwd: dist }).filter((path) => path !== '404.html')
  const html = new Map(pages.map((path) => [addressOf(path), readFileSync(join(dist, path), 'utf8')]))
  const anchors = new Map(
    [...html].map(([address, text]) => [address, new Set(Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id))]),
  )
  return [...html].flatMap(([address, text]) => {
    const links = new Set(Array.from(text.matchAll(/<a [^>]*?href="([^"]+)"/g), ([, href = '']) => href))
    return [...links].flatMap((href) => {
      const [path = '', hash] = href.replaceAll('&amp;', '&').split('#', 2)
      if (/^(?:[a-z]+:|\/\/)/.test(path)) return []
      const target = path === '' ? address : new URL(path, `http://site${address}`).pathname
      const ids = anchors.get(target)
      if (ids === undefined) return existsSync(join(dist, target)) ? [] : [`${address}: ${href} leads nowhere`]
      const id = hash === undefined ? '' : decodeURIComponent(hash)
      return id === '' || ids.has(id) ? [] : [`${address}: ${href} has no such heading`]
    })
  })
}

/** Addresses of the pages with the most HTML. */
export function largestPages(dist: string, count: number): readonly string[] {
  return globSync('**/*.html', { cwd: dist })
    .toSorted((left, right) => statSync(join(dist, right)).size - statSync(join(dist, left)).size)
    .slice(0, count)
    .map(addressOf)
}

/** Address of a page as its links have it: `start/index.html` is `/start/`. */
function addressOf(path: string): string {
  return `/${path.replace(/\.html$/, '').replace(/(?:^|(?<=\/))index$/, '')}`
}
