import { join } from 'node:path'
import type { NarrationOptions } from '@svc-audio/vite-plugin'
import { build, type PluginOption } from 'vite'
import type { Contestant } from '../harness/processes.ts'

/** Warm builds of a site: everything is cached. */
export const contestants = {
  bundle: () => narrated('bundle'),
  copy: () => narrated('copy'),
  /** The audio as static files. */
  static:
    async () =>
    async ({ root }) =>
      buildSite(root),
} satisfies Readonly<Record<string, Contestant<{ readonly root: string }, void>>>

async function narrated(emit: 'bundle' | 'copy'): Promise<(args: { readonly root: string }) => Promise<void>> {
  await import('@svc-audio/vite-plugin')
  return ({ root }) => buildNarrated(root, { mode: 'cache-only', emit })
}

/** Builds a site of posts with the plugin. */
export async function buildNarrated(root: string, options: Partial<NarrationOptions>): Promise<void> {
  const { narration } = await import('@svc-audio/vite-plugin')
  await buildSite(root, [
    narration({ voice_id: 'rms', response_format: 'mp3', cacheDir: 'cache', concurrency: 8, ...options }),
  ])
}

async function buildSite(root: string, plugins: readonly PluginOption[] = []): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [...plugins],
    build: { assetsInlineLimit: 0, reportCompressedSize: false, rollupOptions: { input: join(root, 'main.js') } },
  })
}
