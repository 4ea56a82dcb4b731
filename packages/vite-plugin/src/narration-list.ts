import type { NarrationOptions } from './options.ts'
import { InvalidNarrationError } from './request/invalid-narration-error.ts'

const NAME = 'virtual:narrations'
/** The module of all narrations, as imported and as resolved, for the hooks' filters. */
export const LIST_MODULE: RegExp = /^\0?virtual:narrations$/

/** The id of `virtual:narrations`, also of its id: Nuxt's dev server asks again. `undefined` for any other import. */
export function resolveList(source: string): string | undefined {
  return LIST_MODULE.test(source) ? `\0${NAME}` : undefined
}

/**
 * The module of all narrations of the site, in order of their files.
 * @throws InvalidNarrationError when no option says which
 */
export function listModule({ include, exclude }: NarrationOptions): string {
  if (include === undefined) {
    throw new InvalidNarrationError("the option include is missing. Set it, for example to include: 'posts/*.md'")
  }
  const globs = globsOf(include, exclude)
  const options = { query: '?narrate', import: 'default', eager: true }
  return [
    `const found = import.meta.glob(${JSON.stringify(globs)}, ${JSON.stringify(options)})`,
    'export default Object.keys(found).sort().map((file) => ({ file: file.slice(1), ...found[file] }))',
    '',
  ].join('\n')
}

/** The globs of a virtual module, of two options. */
export function globsOf(
  include: string | readonly string[],
  exclude: string | readonly string[] | undefined,
): readonly string[] {
  const excluded = exclude === undefined ? [] : [exclude].flat().map((glob) => `!${fromRoot(glob)}`)
  return [...[include].flat().map(fromRoot), ...excluded]
}

/** Globs of a virtual module must begin at the root. A leading `!` excludes, as in `import.meta.glob`. */
function fromRoot(glob: string): string {
  const [, not = '', path = ''] = /^(!?)(?:\.?\/)?(.*)$/s.exec(glob) ?? []
  return `${not}/${path}`
}
