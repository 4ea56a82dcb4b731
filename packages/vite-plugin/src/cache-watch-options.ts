import { resolve } from 'node:path'
import { normalizePath, type UserConfig } from 'vite'

/**
 * Keeps the dev server from watching a cache inside the site: each finished audio would count as an edit. The default
 * folder needs nothing, since Vite never watches `node_modules`.
 */
export function cacheWatchOptions(cacheDir: string | undefined, config: UserConfig): UserConfig | undefined {
  // `watch: null` turns watching off, and merging would turn it on again.
  if (cacheDir === undefined || config.server?.watch === null) return undefined
  const folder = normalizePath(resolve(config.root ?? '.', cacheDir)).replace(/[()[\]{}*?!+@|]/g, String.raw`\$&`)
  return { server: { watch: { ignored: [`${folder}/**`] } } }
}
