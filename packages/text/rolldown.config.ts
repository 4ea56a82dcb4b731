import { fileURLToPath } from 'node:url'
import { commonJs, licenses } from '@svc-audio/kit/build'
import { defineConfig } from 'rolldown'

const entries = { index: 'src/index.ts', 'sentences/index': 'src/sentences/index.ts' }

// One file for each entry: Node loads a few large modules faster than a hundred small ones.
export default defineConfig([
  {
    input: entries,
    external: ['htmlparser2', 'markdown-it', 'markdown-it-footnote', 'yaml'],
    resolve: {
      alias: { '#options': fileURLToPath(import.meta.resolve('../../kit/options/src/index.ts')) },
      mainFields: ['module', 'main'],
    },
    platform: 'neutral',
    plugins: [licenses()],
    output: { dir: 'dist', format: 'esm', chunkFileNames: 'shared/[name].js' },
  },
  commonJs({ entries, bundled: ['htmlparser2'] }),
])
