import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { NarrationFormat } from '../audio/formats.ts'
import type { NarratedPage } from '../narrator/narrator.ts'
import type { NarrationCache } from '../narrator/cache.ts'
import type { ScriptSegment } from '../narrator/script.ts'

/** The last audio of a page, for `onFailure: 'stale'`. */
export interface LatestPage {
  readonly page: NarratedPage
  readonly segments: readonly ScriptSegment[]
}

interface Note {
  readonly source: string
  readonly key: string
  readonly segments: readonly ScriptSegment[]
}

/** Writes down the key of a page's audio and the text of its captions. */
export async function noteLatest(
  { folder }: NarrationCache,
  name: string,
  format: NarrationFormat,
  note: Note,
): Promise<void> {
  const path = pathOf(folder, name, format)
  const text = `${JSON.stringify(note, null, 2)}\n`
  if ((await readFile(path, 'utf8').catch(() => '')) === text) return
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

/**
 * The last audio of a page; `undefined` when there is none.
 * @param name The import, relative to the site's root.
 */
export async function readLatest(
  cache: NarrationCache,
  name: string,
  format: NarrationFormat,
): Promise<LatestPage | undefined> {
  const note = parseNote(await readFile(pathOf(cache.folder, name, format), 'utf8').catch(() => ''))
  if (note === undefined) return undefined
  const found = await cache.read(note.key, format)
  if (found === undefined) return undefined
  const { audio, bytes, durationSeconds, sha256, sidecar } = found
  const places = sidecar.places ?? [{ startSecond: 0, endSecond: durationSeconds }]
  if (places.length !== note.segments.length) return undefined
  return { page: { audio, bytes, durationSeconds, sha256, places, key: note.key }, segments: note.segments }
}

function pathOf(folder: string, name: string, format: NarrationFormat): string {
  return join(folder, 'latest', `${createHash('sha256').update(`${format}\0${name}`).digest('hex')}.json`)
}

function parseNote(text: string): Note | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    const key: unknown = Reflect.get(value, 'key')
    const segments: unknown = Reflect.get(value, 'segments')
    if (typeof key !== 'string' || !Array.isArray(segments)) return undefined
    const list: readonly unknown[] = segments
    return { source: '', key, segments: list.filter(isSegment) }
  } catch {
    return undefined
  }
}

function isSegment(value: unknown): value is ScriptSegment {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'written') === 'string'
}
