import { posix } from 'node:path'

/** Where links of the repository lead on the site. */
export interface LinkTargets {
  /** Routes by the path of their Markdown file, from the root of the repository. */
  readonly routes: ReadonlyMap<string, string>
  /** Whether a path of the repository is a folder, a file, or neither. */
  readonly kindOf: (path: string) => 'folder' | 'file' | undefined
  /** Address of the repository, e.g. `https://github.com/svc-audio/svc-audio`. */
  readonly repository: string
}

/** A page with the links of the site. */
export interface LinkedPage {
  readonly text: string
  /** Paths of the images that it shows, from the root of the repository. */
  readonly images: readonly string[]
  /** One line for each link that leads nowhere. */
  readonly faults: readonly string[]
}

const IMAGE = /\.(?:png|jpe?g|svg|gif|webp)$/i

/** Links and images of Markdown, and images of HTML, outside of code. */
const LINK = /(?<before>\]\(|<img [^>]*?src=")(?<address>[^)"\s]+)/g

/** Address of an image on the site. */
export function imageAddress(path: string): string {
  return `/images/${path.replaceAll('/', '-')}`
}

/**
 * Converts the relative links of a page: to routes where the site has the page, to the repository elsewhere.
 *
 * @param source Path of the page, from the root of the repository
 */
export function linkToSite(markdown: string, source: string, targets: LinkTargets): LinkedPage {
  const images: string[] = []
  const faults: string[] = []
  const convert = (address: string): string => {
    if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(address)) return address
    const [path = '', hash] = address.split('#', 2)
    const target = posix.join(posix.dirname(source), path).replace(/\/$/, '')
    const kind = targets.kindOf(target)
    if (kind === undefined) {
      faults.push(`${source}: ${address} leads nowhere`)
      return address
    }
    if (IMAGE.test(target)) {
      images.push(target)
      return imageAddress(target)
    }
    const route = targets.routes.get(target) ?? targets.routes.get(posix.join(target, 'README.md'))
    const suffix = hash === undefined ? '' : `#${hash}`
    if (route !== undefined) return `${routeAddress(route)}${suffix}`
    return `${targets.repository}/${kind === 'folder' ? 'tree' : 'blob'}/main/${target}${suffix}`
  }
  const text = outsideOfCode(markdown, (prose) =>
    prose.replaceAll(LINK, (whole, before: string, address: string) =>
      whole.endsWith('\\') ? whole : `${before}${convert(address)}`,
    ),
  )
  return { text, images, faults }
}

/** Address of a route: `start/index` is `/start/`. */
export function routeAddress(route: string): string {
  return `/${route.replace(/(?:^|(?<=\/))index$/, '')}`
}

/** Applies a function to the parts of a Markdown page that are neither code blocks nor inline code. */
export function outsideOfCode(markdown: string, convert: (prose: string) => string): string {
  const CODE = /(^[ \t>]*(`{3,}|~{3,})[^\n]*\n[^]*?^[ \t>]*\2[ \t]*$|`[^`\n]+`)/gm
  let end = 0
  let text = ''
  for (const { 0: code, index } of markdown.matchAll(CODE)) {
    text += convert(markdown.slice(end, index)) + code
    end = index + code.length
  }
  return text + convert(markdown.slice(end))
}

/** The anchor of a heading, as the repository's host makes it, so that links to headings work in both places. */
export function headingSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}
