import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** The committed audio: one file for each paragraph. */
const COMMITTED = join(ROOT, 'narration')

/** The cache of a build: the committed audio, and the joined audio of each page. */
export const NARRATION_CACHE: string = join(ROOT, 'node_modules/.cache/narration')

/** How the site speaks. They are a part of the names of the committed audio. */
export const NARRATION_OPTIONS = { voice_id: 'joe' } as const

/**
 * Adds the committed audio to a cache, so that a build makes no call.
 * @param cache Folder. @default the cache of the site, which has the audio of earlier builds too
 */
export function restoreNarration(cache: string = NARRATION_CACHE): void {
  mkdirSync(cache, { recursive: true })
  if (existsSync(COMMITTED)) cpSync(COMMITTED, cache, { recursive: true })
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
