import { fileURLToPath } from 'node:url'
import { commonJs, licenses } from '@svc-audio/kit/build'
import { defineConfig } from 'rolldown'

const entries = {
  index: 'src/index.ts',
  web: 'src/web.ts',
  adapter: 'src/adapter.ts',
  audio: 'src/audio.ts',
  'fetch/index': 'src/fetch/index.ts',
  'wire/index': 'src/wire/index.ts',
  pure: 'src/pure.ts',
  'streaming/index': 'src/streaming/index.ts',
  'subtitles/index': 'src/subtitles/index.ts',
  'text/index': 'src/text/index.ts',
  'webhooks/index': 'src/webhooks/index.ts',
}

// One file for each entry, and one for what they share: a hundred small modules take Node longer to load than to run.
export default defineConfig([
  {
    input: entries,
    external: [/^node:/, /^undici(\/|$)/, '@svc-audio/text'],
    // Bundled from its source, so that each entry takes only the part of it that it needs.
    resolve: {
      alias: {
        '#options': fileURLToPath(import.meta.resolve('../../kit/options/src/index.ts')),
        '@svc-audio/text/sentences': fileURLToPath(import.meta.resolve('../text/src/sentences/index.ts')),
      },
      mainFields: ['module', 'main'],
    },
    platform: 'neutral',
    plugins: [licenses()],
    output: { dir: 'dist', format: 'esm', chunkFileNames: 'shared/[name].js' },
  },
  commonJs({ entries }),
])
