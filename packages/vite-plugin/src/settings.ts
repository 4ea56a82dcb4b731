import { basename, dirname, resolve } from 'node:path'
import { ConfigurationError } from '@svc-audio/core'
import { loadEnv, type ResolvedConfig } from 'vite'
import { FORMATS, isNarrationFormat } from './audio/formats.ts'
import type { NarratorOptions } from './narrator/narrator.ts'
import type { NarrationOptions } from './options.ts'

/** Calls at once where nothing is said. */
const DEFAULT_CONCURRENCY = 2

/**
 * Checks what does not depend on Vite.
 * @throws ConfigurationError naming the option
 */
export function checkOptions({ voice_id, response_format, concurrency, timeout }: NarrationOptions): void {
  if (typeof voice_id !== 'string' || voice_id.trim() === '') {
    throw new ConfigurationError('narration(): voice_id is missing: name the voice that reads')
  }
  if (response_format !== undefined && !isNarrationFormat(response_format)) {
    const formats = Object.keys(FORMATS).join(', ')
    throw new ConfigurationError(`narration(): response_format must be one of ${formats}`)
  }
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0)) {
    throw new ConfigurationError('narration(): concurrency must be a whole number greater than 0')
  }
  if (timeout !== undefined && !(timeout > 0)) {
    throw new ConfigurationError('narration(): timeout must be a number of milliseconds greater than 0')
  }
}

/**
 * What the narrator needs, from the options, the environment and Vite's `.env` files.
 * @throws ConfigurationError naming the option and the environment variable
 */
export function resolveSettings(options: NarrationOptions, config: ResolvedConfig): NarratorOptions {
  const env = loadEnv(config.mode, config.envDir, 'SVC_AUDIO_')
  const baseUrl = options.baseUrl ?? options.client?.baseUrl ?? env['SVC_AUDIO_BASE_URL'] ?? ''
  if (baseUrl === '') {
    throw new ConfigurationError(
      'narration(): baseUrl is missing: give the address of the service, or set SVC_AUDIO_BASE_URL in the environment ' +
        'or in .env',
    )
  }
  return {
    client: options.client,
    apiKey: options.apiKey ?? (env['SVC_AUDIO_API_KEY'] || undefined),
    baseUrl: baseUrl.replace(/\/+$/, '').replace(/\/v1$/, ''),
    cacheDir: cacheFolder(options.cacheDir, config),
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    timeout: options.timeout,
  }
}

/** Vite keeps its own cache in the `node_modules` of the nearest package, so ours goes beside it. */
function cacheFolder(folder: string | undefined, config: ResolvedConfig): string {
  if (folder !== undefined) return resolve(config.root, folder)
  const nearest = dirname(config.cacheDir)
  const modules = basename(nearest) === 'node_modules' ? nearest : resolve(config.root, 'node_modules')
  return resolve(modules, '.cache', 'svc-audio')
}
