import { fileURLToPath } from 'node:url'
import { defineConfig } from 'rolldown'

// One file for each entry, and one for what they share: a hundred small modules take Node longer to load than to run.
export default defineConfig({
  input: {
    index: 'src/index.ts',
    'fetch/index': 'src/fetch/index.ts',
    interface: 'src/interface.ts',
    pure: 'src/pure.ts',
    'streaming/index': 'src/streaming/index.ts',
    'subtitles/index': 'src/subtitles/index.ts',
    'text/index': 'src/text/index.ts',
    'webhooks/index': 'src/webhooks/index.ts',
  },
  external: [/^node:/, 'undici', '@svc-audio/text'],
  // Bundled from its source: `narrate()` and the checks need sentences and pauses, and each entry takes only its own part.
  resolve: {
    alias: { '@svc-audio/text/sentences': fileURLToPath(import.meta.resolve('../text/src/sentences/index.ts')) },
  },
  platform: 'neutral',
  output: { dir: 'dist', format: 'esm', sourcemap: true, chunkFileNames: 'shared/[name].js' },
})
