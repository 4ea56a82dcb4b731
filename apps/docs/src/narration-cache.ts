import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** The committed audio: one file for each paragraph. */
const COMMITTED = join(ROOT, 'narration')

/** The cache of a build: the committed audio, and the joined audio of each page. */
export const NARRATION_CACHE: string = join(ROOT, 'node_modules/.cache/narration')

/** Adds the committed audio to the cache, so that a build makes no call. */
export function restoreNarration(): void {
  mkdirSync(NARRATION_CACHE, { recursive: true })
  if (existsSync(COMMITTED)) cpSync(COMMITTED, NARRATION_CACHE, { recursive: true })
}

/** Stores the audio of the paragraphs in the committed folder. A build joins them again: joined audio is left out. */
export function storeNarration(): void {
  rmSync(COMMITTED, { recursive: true, force: true })
  for (const path of globSync('??/*.json', { cwd: NARRATION_CACHE })) {
    const notes: { readonly pieces?: unknown } = JSON.parse(readFileSync(join(NARRATION_CACHE, path), 'utf8'))
    if (notes.pieces !== undefined) continue
    for (const file of [path, path.replace('.json', '.mp3')]) {
      cpSync(join(NARRATION_CACHE, file), join(COMMITTED, file))
    }
  }
}
