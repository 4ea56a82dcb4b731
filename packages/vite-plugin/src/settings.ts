import { basename, dirname, resolve } from 'node:path'
import { loadEnv, type ResolvedConfig } from 'vite'
import { ffmpeg } from './narrator/encoder.ts'
import type { NarratorOptions } from './narrator/narrator.ts'
import type { NarrationOptions } from './options.ts'

/** Calls at once where nothing is said. */
const DEFAULT_CONCURRENCY = 2

/** What the narrator needs, from the options, the environment and Vite's `.env` files. */
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

/** Vite keeps its own cache in the `node_modules` of the nearest package, so ours goes beside it. */
export function cacheFolder(folder: string | undefined, config: Pick<ResolvedConfig, 'root' | 'cacheDir'>): string {
  if (folder !== undefined) return resolve(config.root, folder)
  const nearest = dirname(config.cacheDir)
  const modules = basename(nearest) === 'node_modules' ? nearest : resolve(config.root, 'node_modules')
  return resolve(modules, '.cache', 'svc-audio')
}
