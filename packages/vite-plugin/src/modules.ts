import { existsSync } from 'node:fs'
import { dirname, extname, isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFilter, normalizePath, type Rolldown } from 'vite'
import { InvalidNarrationError } from './errors.ts'
import type { NarrationOptions } from './options.ts'

/**
 * Start of the ids of narration modules. `\0` tells other plugins to leave a module alone, and the id does not end in the
 * source's extension: Markdown plugins transform every id that ends in `.md` or `.md?…`.
 */
const PREFIX = '\0narration:'
/** The modules of a whole site, as imported and as resolved: Nuxt's dev server asks again by the resolved id. */
const SITE_MODULE = /^\0?(virtual:narrations(?:\/pages)?)$/
/** What the finder of pages runs. By its path: a package cannot be resolved from every folder of a site with this plugin. */
const FINDER = normalizePath(fileURLToPath(new URL(`./page-finder${extname(import.meta.url)}`, import.meta.url)))

/** Imports that ask for a module of the plugin: `narrate` is a whole word of the query. For the hook's filter. */
export const IMPORTS: RegExp[] = [/[?&]narrate(?:[=&#]|$)/, SITE_MODULE]

/** Ids of the modules of the plugin. For the hook's filter. */
export const MODULES: RegExp[] = [/^\0narration:/, SITE_MODULE]

/**
 * Resolves an import to the id of a module of the plugin. A source is resolved as any import is, so aliases and packages work.
 * @param source The import as written, or a module address of the dev server.
 */
export async function resolveModule(
  context: Rolldown.PluginContext,
  source: string,
  importer: string | undefined,
): Promise<string> {
  const [, site] = SITE_MODULE.exec(source) ?? []
  if (site !== undefined) return `\0${site}`
  const mark = source.indexOf('?')
  const path = source.slice(0, mark)
  // The dev server adds its own marks to the query. Remove them.
  const query = source
    .slice(mark + 1)
    .replace(/(^|&)(?:import|t=\d+)(?=&)/g, '')
    .replace(/^&/, '')
  // An existing relative file needs no resolving. Bare names and roots go through aliases and packages.
  const near = importer === undefined || !/^\.{1,2}\//.test(path) ? undefined : resolve(dirname(importer), path)
  if (near !== undefined && isAbsolute(importer ?? '') && existsSync(near)) return moduleId(normalizePath(near), query)
  const resolved = await context.resolve(path, importer, { skipSelf: true })
  const file = resolved?.id.replace(/[?#].*$/s, '')
  if (file !== undefined && isAbsolute(file)) return moduleId(normalizePath(file), query)
  // A file that does not exist is named by the load that fails.
  return moduleId(normalizePath(resolve(importer === undefined ? '.' : `${importer}/..`, path)), query)
}

/**
 * The id of a narration module.
 * @param file Absolute path of the source.
 * @param query Query of the import, without the question mark.
 */
export function moduleId(file: string, query: string): string {
  return `${PREFIX}${encode(file)}:${encode(query)}`
}

/** Takes a narration module's id apart; `undefined` for any other id. */
export function parseModuleId(id: string): { readonly file: string; readonly query: string } | undefined {
  if (!id.startsWith(PREFIX)) return undefined
  const [file = '', query = ''] = id.slice(PREFIX.length).split(':').map(decode)
  return { file, query }
}

/** Not percent-encoding, since the dev server decodes that in addresses of modules. */
function encode(text: string): string {
  return text.replace(/[^\w/-]/gu, (character) => `~${character.codePointAt(0)?.toString(16)}~`)
}

function decode(text: string): string {
  return text.replace(/~([\da-f]+)~/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
}

/** An import as the user wrote it, relative to a folder: for messages, and the key of the asset in Vite's manifest. */
export function displayName(file: string, query: string): string {
  return query === '' ? file : `${file}?${query}`
}

/**
 * The code of a module of the whole site; `undefined` for any other id.
 * @throws InvalidNarrationError when no option says which files
 */
export function siteModule(id: string, options: NarrationOptions): string | undefined {
  const [, name] = SITE_MODULE.exec(id) ?? []
  if (name === undefined) return undefined
  return name === 'virtual:narrations' ? listModule(options) : pagesModule(options)
}

/** All narrations of the site, in order of their files. */
function listModule({ include, exclude }: NarrationOptions): string {
  if (include === undefined) {
    throw new InvalidNarrationError("the option include is missing. Set it, for example to include: 'posts/*.md'")
  }
  return [
    `const found = ${globCall(globsOf(include, exclude), { eager: true })}`,
    'export default Object.keys(found).sort().map((file) => ({ file: file.slice(1), ...found[file] }))',
    '',
  ].join('\n')
}

/** Finds the narration of each page. */
function pagesModule({ pages, exclude, extensions = {} }: NarrationOptions): string {
  if (pages === undefined) {
    throw new InvalidNarrationError("the option pages is missing. Set it, for example to pages: '**/*.md'")
  }
  const globs = globsOf(pages, exclude)
  // A wildcard of `import.meta.glob`, and all after the last slash before it.
  const folders = globs.filter((glob) => !glob.startsWith('!')).map((glob) => glob.replace(/[^/]*(?:[*?{[].*)?$/s, ''))
  return [
    `import { pageFinder } from ${JSON.stringify(FINDER)}`,
    `const found = ${globCall(globs)}`,
    `const folders = ${JSON.stringify([...new Set(folders)])}`,
    `const extensions = ${JSON.stringify(Object.keys(extensions))}`,
    'export const narrationFor = pageFinder(found, folders, import.meta.env.BASE_URL, extensions)',
    '',
  ].join('\n')
}

/** Ids of the modules of the whole site. For the hook's filter. */
export const SITE_MODULES: RegExp = SITE_MODULE

/**
 * The globs of a module of the whole site that find no file, each with its option, e.g. `pages: 'docs/*.md'`.
 * @param code Code of the module after Vite has resolved its globs.
 */
export function emptyGlobs(id: string, code: string, options: NarrationOptions): readonly string[] {
  const [, name] = SITE_MODULE.exec(id) ?? []
  if (name === undefined) return []
  const option = name === 'virtual:narrations' ? 'include' : 'pages'
  const files = Array.from(code.matchAll(/"(\/(?:[^"\\]|\\.)+)":/g), ([, path]) => String(JSON.parse(`"${path}"`)))
  const globs = [options[option] ?? []].flat().filter((glob) => !glob.startsWith('!'))
  return globs.flatMap((glob) => {
    const matches = createFilter(fromRoot(glob), undefined, { resolve: false })
    return files.some(matches) ? [] : [`${option}: '${glob}'`]
  })
}

function globCall(globs: readonly string[], more: object = {}): string {
  const options = { query: '?narrate', import: 'default', ...more }
  return `import.meta.glob(${JSON.stringify(globs)}, ${JSON.stringify(options)})`
}

function globsOf(included: string | readonly string[], excluded: string | readonly string[] = []): readonly string[] {
  return [...[included].flat().map(fromRoot), ...[excluded].flat().map((glob) => `!${fromRoot(glob)}`)]
}

/** Globs of a virtual module must begin at the root. A leading `!` excludes, as in `import.meta.glob`. */
function fromRoot(glob: string): string {
  const [, not = '', path = ''] = /^(!?)(?:\.?\/)?(.*)$/s.exec(glob) ?? []
  return `${not}/${path}`
}
