import { basename, dirname, resolve } from 'node:path'
import { loadEnv, type ResolvedConfig } from 'vite'
import { ffmpeg } from './narrator/encoder.ts'
import type { NarratorOptions } from './narrator/narrator.ts'
import type { NarrationOptions } from './options.ts'

/** Default of `concurrency`. */
const DEFAULT_CONCURRENCY = 2

/** Options of the narrator, from the plugin's options, the environment and Vite's `.env` files. */
export function resolveSettings(options: NarrationOptions, config: ResolvedConfig): NarratorOptions {
  const env = loadEnv(config.mode, config.envDir, 'SVC_AUDIO_')
  return {
    client: options.client,
    apiKey: options.apiKey ?? (env['SVC_AUDIO_API_KEY'] || undefined),
    baseUrl: options.baseUrl ?? (env['SVC_AUDIO_BASE_URL'] || undefined),
    cacheDir: cacheFolder(options.cacheDir, config),
    notesFile: resolve(config.cacheDir, 'svc-audio-narration.json'),
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    timeout: options.timeout,
    mode: options.mode ?? 'auto',
    encode: options.encoder === 'ffmpeg' ? ffmpeg : options.encoder,
  }
}

/** Folder of the cache. The default is beside Vite's own cache, in `node_modules` of the nearest package. */
export function cacheFolder(folder: string | undefined, config: Pick<ResolvedConfig, 'root' | 'cacheDir'>): string {
  if (folder !== undefined) return resolve(config.root, folder)
  const nearest = dirname(config.cacheDir)
  const modules = basename(nearest) === 'node_modules' ? nearest : resolve(config.root, 'node_modules')
  return resolve(modules, '.cache', 'svc-audio')
}

/** Absolute path of the report of a build; `undefined` for none. */
export function reportPath({ report }: NarrationOptions, { root }: Pick<ResolvedConfig, 'root'>): string | undefined {
  return report === undefined ? undefined : resolve(root, report)
}
