/** Imports that ask for a narration: `narrate` is a whole word of the query. */
export const NARRATION_IMPORT: RegExp = /[?&]narrate(?:[=&#]|$)/

/**
 * Start of the ids of narration modules. `\0` tells other plugins to leave a module alone, and the id does not end in the
 * source's extension: Markdown plugins transform every id that ends in `.md` or `.md?…`.
 */
const PREFIX = '\0narration:'

/** Ids of narration modules, for the hooks' filters. */
export const NARRATION_MODULE: RegExp = /^\0narration:/

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
