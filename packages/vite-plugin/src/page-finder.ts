import type { Narration } from './narration.ts'

/** Finds the narration of a page by its file or its route. `undefined` for a page that `pages` does not name. */
export type NarrationFor = (page: string) => Promise<Narration | undefined>

/** Loads the narration of a page. */
type LoadNarration = () => Promise<Narration>

/**
 * Finds narrations by file or route. Each narration is loaded when it is asked for: a page ships those of no other page.
 * @param modules Loads each narration, by its file from Vite's root with a leading `/`.
 * @param folders Folders that routes begin at, by the globs of `pages`, as they are before the first wildcard.
 * @param base Public path of the site, which routes may begin with.
 * @param extensions Further extensions of files, which routes do not have.
 */
export function pageFinder(
  modules: Readonly<Record<string, LoadNarration>>,
  folders: readonly string[],
  base: string,
  extensions: readonly string[] = [],
): NarrationFor {
  const byFile = new Map<string, string>()
  const byRoute = new Map<string, string[]>()
  for (const file of Object.keys(modules).toSorted()) {
    byFile.set(file.slice(1), file)
    const ending = extensions.find((extension) => file.endsWith(extension)) ?? ''
    const path = ending === '' ? file : file.slice(0, -ending.length)
    const routes = folders.flatMap((folder) => (path.startsWith(folder) ? [routeOf(path.slice(folder.length))] : []))
    for (const route of new Set([routeOf(path), ...routes])) byRoute.set(route, [...(byRoute.get(route) ?? []), file])
  }
  return async (page) => {
    if (typeof page !== 'string') {
      throw new TypeError(`narrationFor() needs the file or the route of a page, and was given ${typeof page}`)
    }
    const path = page.replace(/[?#].*$/s, '')
    const exact = byFile.get(path.replace(/^\.?\//, ''))
    if (exact !== undefined) return modules[exact]?.()
    const found = byRoute.get(routeOf(path)) ?? byRoute.get(routeOf(withoutBase(path, base))) ?? []
    if (found.length > 1) {
      const names = found.map((file) => file.slice(1)).join(' and ')
      throw new Error(`narrationFor('${page}'): ${names} have this route. Give the file instead`)
    }
    return found[0] === undefined ? undefined : modules[found[0]]?.()
  }
}

function withoutBase(path: string, base: string): string {
  return base !== '/' && `${path}/`.startsWith(base) ? path.slice(base.length) : path
}

/**
 * The route of a file or an address, without slashes at its ends: without the extension, `index`, SvelteKit's `+page` and
 * groups `(name)`, and Nuxt Content's order `1.`.
 */
function routeOf(path: string): string {
  return decode(path)
    .replace(/\.(?:md|mdx|mdoc|svx|markdown|html?|txt)$/, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && !/^\(.*\)$/.test(part))
    .map((part) => part.replace(/^\d+\.(?=.)/, ''))
    .filter((part, index, parts) => index < parts.length - 1 || (part !== 'index' && part !== '+page'))
    .join('/')
}

function decode(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path // not an encoded address, but a file with a percent sign
  }
}
