import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { normalizePath } from 'vite'
import type { NarrationOptions } from '../options.ts'
import { globsOf } from '../narration-list.ts'
import { InvalidNarrationError } from '../request/invalid-narration-error.ts'

const NAME = 'virtual:narrations/pages'
/** The module that finds narrations by page, as imported and as resolved, for the hooks' filters. */
export const PAGES_MODULE: RegExp = /^\0?virtual:narrations\/pages$/

/** By its path: a package cannot be resolved from every folder of a site that has this plugin. */
const FINDER = normalizePath(fileURLToPath(new URL(`./page-finder${extname(import.meta.url)}`, import.meta.url)))

/** The id of `virtual:narrations/pages`, also of its id: Nuxt's dev server asks again. `undefined` for any other import. */
export function resolvePages(source: string): string | undefined {
  return PAGES_MODULE.test(source) ? `\0${NAME}` : undefined
}

/**
 * The module that finds the narrations of whole sites.
 * @throws InvalidNarrationError when no option says which
 */
export function pagesModule({ pages, exclude, extensions = {} }: NarrationOptions): string {
  if (pages === undefined) {
    throw new InvalidNarrationError("the option pages is missing. Set it, for example to pages: '**/*.md'")
  }
  const globs = globsOf(pages, exclude)
  // A wildcard of `import.meta.glob`, and all after the last slash before it.
  const folders = globs.filter((glob) => !glob.startsWith('!')).map((glob) => glob.replace(/[^/]*(?:[*?{[].*)?$/s, ''))
  const options = { query: '?narrate', import: 'default' }
  return [
    `import { pageFinder } from ${JSON.stringify(FINDER)}`,
    `const found = import.meta.glob(${JSON.stringify(globs)}, ${JSON.stringify(options)})`,
    `const folders = ${JSON.stringify([...new Set(folders)])}`,
    `const extensions = ${JSON.stringify(Object.keys(extensions))}`,
    'export const narrationFor = pageFinder(found, folders, import.meta.env.BASE_URL, extensions)',
    '',
  ].join('\n')
}
