// Checks that the committed audio has every paragraph of the narrated pages, so that the site builds without a key.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { narration } from '@svc-audio/vite-plugin'
import { build } from 'vite'
import { NARRATION_OPTIONS, restoreNarration } from './src/narration-cache.ts'
import { narratedPages, STAGED, stageSite } from './src/stage-site.ts'

stageSite()
// A new folder: the cache of the site also has audio that nobody has committed.
const cacheDir = mkdtempSync(join(tmpdir(), 'svc-audio-narration-'))
restoreNarration(cacheDir)
const pages = narratedPages().map((route) => `./pages/${route}.md?narrate`)
// A page of the site imports its own narration. This module imports all of them.
writeFileSync(
  join(STAGED, 'narrations.js'),
  `export default [${pages.map((page) => `import('${page}')`).join(', ')}]\n`,
)
try {
  await build({
    root: STAGED,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, rolldownOptions: { input: join(STAGED, 'narrations.js') } },
    plugins: [narration({ ...NARRATION_OPTIONS, mode: 'cache-only', cacheDir })],
  })
  console.log(`${pages.length} narrated pages`)
} catch (error) {
  console.error(String(error))
  console.error('The text of a narrated page has changed: run npx -y pnpm@12 docs narrate, and commit its audio')
  process.exitCode = 1
} finally {
  rmSync(cacheDir, { recursive: true })
}
