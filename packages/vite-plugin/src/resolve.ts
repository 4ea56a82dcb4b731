import { existsSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { normalizePath, type Rolldown } from 'vite'
import { moduleId } from './request/module-id.ts'

/**
 * Resolves an import with `?narrate` to the id of a narration module. The file is resolved as any import is, so aliases
 * and packages work.
 * @param source The import as written, or a module address of the dev server.
 */
export async function resolveNarration(
  context: Rolldown.PluginContext,
  source: string,
  importer: string | undefined,
): Promise<string | undefined> {
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
