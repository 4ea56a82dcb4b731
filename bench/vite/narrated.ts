import { join } from 'node:path'
import { narration, type NarrationOptions } from '@svc-audio/vite-plugin'
import { build } from 'vite'

/** Builds a site of posts with the plugin. */
export async function buildNarrated(root: string, options: Partial<NarrationOptions>): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [narration({ voice_id: 'rms', response_format: 'mp3', cacheDir: 'cache', concurrency: 8, ...options })],
    build: { assetsInlineLimit: 0, reportCompressedSize: false, rollupOptions: { input: join(root, 'main.js') } },
  })
}

/** A measured build: everything is cached. */
export async function run({ root, emit }: { root: string; emit: 'bundle' | 'copy' }): Promise<void> {
  await buildNarrated(root, { mode: 'cache-only', emit })
}
