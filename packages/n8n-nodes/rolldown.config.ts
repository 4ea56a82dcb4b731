import { readFileSync } from 'node:fs'
import { defineConfig, type Plugin } from 'rolldown'

/** Files that n8n reads beside the code: paths as in the source, which `file:` references and the codex rely on. */
const ASSETS = [
  'icons/svc-audio.svg',
  'icons/svc-audio.dark.svg',
  'nodes/SvcAudio/SvcAudio.node.json',
  'nodes/SvcAudioTrigger/SvcAudioTrigger.node.json',
]

const assets: Plugin = {
  name: 'assets',
  buildStart() {
    for (const file of ASSETS) {
      const path = new URL(file, import.meta.url)
      this.addWatchFile(path.pathname)
      this.emitFile({ type: 'asset', fileName: file, source: readFileSync(path) })
    }
  },
}

// n8n loads each file that package.json names with require() and takes the class that is named after it.
// A verified community package has no run-time dependency, so everything but n8n-workflow is bundled. It is not
// minified, because reviewers read it.
export default defineConfig({
  input: {
    'nodes/SvcAudio/SvcAudio.node': 'nodes/SvcAudio/SvcAudio.node.ts',
    'nodes/SvcAudioTrigger/SvcAudioTrigger.node': 'nodes/SvcAudioTrigger/SvcAudioTrigger.node.ts',
    'credentials/SvcAudioApi.credentials': 'credentials/SvcAudioApi.credentials.ts',
  },
  platform: 'node',
  external: ['n8n-workflow'],
  plugins: [assets],
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].js',
    // what both nodes share, under a name that does not change with its content
    chunkFileNames: 'shared/[name].js',
    exports: 'named',
    sourcemap: false,
    minify: false,
    cleanDir: true,
  },
})
