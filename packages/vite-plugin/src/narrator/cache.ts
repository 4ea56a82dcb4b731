import { hash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FORMATS, isNarrationFormat, type NarrationFormat } from '../audio/formats.ts'
import type { Place } from '../join/joiner.ts'
import { parseSidecar, readPlaces, type Sidecar, sidecarText } from './sidecar.ts'
import { settledStampOf, stampOf, type WarmNotes } from './warm-notes.ts'

/** Audio in the cache. */
export interface CachedAudio {
  /** Reads the audio. */
  readonly audio: () => Uint8Array
  /** Size of the audio. */
  readonly bytes: number
  /** Length in seconds, read from the audio. */
  readonly durationSeconds: number
  /** sha256 of the audio, hexadecimal. */
  readonly sha256: string
  /** The JSON of the entry. */
  readonly sidecar: Sidecar
}

/**
 * Audio in a folder: `ab/<key>.mp3` and `ab/<key>.json`. Writes are atomic, the JSON last, so several builds may share the
 * folder. A cut, altered or incomplete entry counts as absent.
 */
export class NarrationCache {
  readonly folder: string
  readonly #notes: WarmNotes

  constructor(folder: string, notes: WarmNotes) {
    this.folder = folder
    this.#notes = notes
  }

  /**
   * As {@link NarrationCache.read}, without the facts. Does not read files that have not changed since their last check.
   */
  async known(key: string, format: NarrationFormat): Promise<CachedAudio | undefined> {
    const name = `audio ${this.folder} ${key}.${format}`
    const paths = [this.path(key, format), this.path(key, 'json')]
    const noted = parseNote(this.#notes.get(name))
    if (noted !== undefined && noted.stamps.join() === paths.map(stampOf).join()) {
      const { sha256, durationSeconds, bytes, places } = noted
      const audio = (): Uint8Array => readFileSync(this.path(key, format))
      return { audio, bytes, durationSeconds, sha256, sidecar: { sha256, places, facts: {} } }
    }
    // Take the stamps before the read: a file that changes in the meantime then differs from its stamp.
    const stamps = paths.map(settledStampOf)
    const found = await this.read(key, format)
    if (found === undefined || stamps.includes(undefined)) return found
    const { sha256, durationSeconds, bytes, sidecar } = found
    this.#notes.set(name, { stamps, sha256, durationSeconds, bytes, places: sidecar.places })
    return found
  }

  /** Audio by its key, or `undefined`. Checks the sum, and reads the length from the audio. */
  async read(key: string, format: NarrationFormat): Promise<CachedAudio | undefined> {
    const sidecar = parseSidecar(readIfThere(this.path(key, 'json'))?.toString('utf8') ?? '')
    if (sidecar === undefined) return undefined
    const audio = readIfThere(this.path(key, format))
    if (audio === undefined || sumOf(audio) !== sidecar.sha256) return undefined
    const durationSeconds = FORMATS[format].seconds(audio)
    if (durationSeconds === undefined) return undefined
    return { audio: () => audio, bytes: audio.byteLength, durationSeconds, sha256: sidecar.sha256, sidecar }
  }

  /**
   * Stores audio.
   * @param facts Further fields of the JSON.
   * @throws the file system's error when the folder cannot be written
   */
  async write(
    key: string,
    format: NarrationFormat,
    made: { readonly audio: Uint8Array; readonly durationSeconds: number; readonly places?: readonly Place[] },
    facts: Readonly<Record<string, unknown>>,
  ): Promise<CachedAudio> {
    const { audio, durationSeconds, places } = made
    const text = sidecarText({ sha256: sumOf(audio), durationSeconds, places, facts })
    await writeWhole(this.path(key, format), audio)
    await writeWhole(this.path(key, 'json'), text)
    const sidecar = parseSidecar(text)
    if (sidecar === undefined) throw new TypeError('The JSON of a new cache entry cannot be parsed')
    return { audio: () => audio, bytes: audio.byteLength, durationSeconds, sha256: sidecar.sha256, sidecar }
  }

  /** The JSON of each entry, by key. */
  async *entries(): AsyncGenerator<readonly [key: string, sidecar: Sidecar], void, undefined> {
    const names = await readdir(this.folder, { recursive: true }).catch(() => [])
    for (const name of names) {
      const [, key] = /([\da-f]{64})\.json$/.exec(name) ?? []
      if (key === undefined) continue
      const sidecar = parseSidecar(await readFile(join(this.folder, name), 'utf8').catch(() => ''))
      if (sidecar !== undefined) yield [key, sidecar]
    }
  }

  /** Removes an entry. The JSON goes first: audio without it counts as absent. */
  async remove(key: string): Promise<void> {
    await rm(this.path(key, 'json'), { force: true })
    for (const format of Object.keys(FORMATS)) await rm(this.path(key, format), { force: true })
  }

  /** Path of a file of an entry. */
  path(key: string, extension: string): string {
    return join(this.folder, key.slice(0, 2), `${key}.${extension}`)
  }
}

/** Parses the file name of an entry; `undefined` for any other name. */
export function parseFileName(name: string): { readonly key: string; readonly extension: string } | undefined {
  const [, key, extension] = /^([\da-f]{64})\.([a-z\d]+)$/.exec(name) ?? []
  if (key === undefined || extension === undefined) return undefined
  return isNarrationFormat(extension) || extension === 'vtt' ? { key, extension } : undefined
}

/** Writes under a temporary name and renames, so that no reader sees half a file. */
async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.part`
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(temporary, content)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Synchronous: a warm build reads hundreds of files, and promises would take several times the CPU. */
function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function sumOf(bytes: Uint8Array): string {
  return hash('sha256', bytes)
}

interface AudioNote extends Pick<CachedAudio, 'bytes' | 'durationSeconds' | 'sha256'> {
  readonly stamps: readonly unknown[]
  readonly places: readonly Place[] | undefined
}

function parseNote(value: unknown): AudioNote | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { stamps, sha256, durationSeconds, bytes, places }: Readonly<Record<string, unknown>> = { ...value }
  if (!Array.isArray(stamps) || typeof sha256 !== 'string') return undefined
  if (typeof durationSeconds !== 'number' || typeof bytes !== 'number') return undefined
  return { stamps, sha256, durationSeconds, bytes, places: readPlaces(places) }
}
