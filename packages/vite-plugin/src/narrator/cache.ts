import { hash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FORMATS, isNarrationFormat, type NarrationFormat, type Pause, type Place } from '../audio/index.ts'
import { writingTo } from '../errors.ts'
import {
  isOnePiece,
  type NarrationScript,
  pageKey,
  pieceKey,
  type ScriptSegment,
  segmentKey,
  type VoiceSettings,
} from '../script.ts'
import { settledStampOf, stampOf, type WarmNotes } from '../warm-notes.ts'

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
  /** Place of each segment of a joined page; `undefined` for a segment, and after an edit of the JSON. */
  readonly places: readonly Place[] | undefined
}

/** The audio of a page. */
export interface NarratedPage extends CachedAudio {
  /** Key of the cache entry that holds the audio. */
  readonly key: string
  /** Place of each segment. */
  readonly places: readonly Place[]
}

/** The last audio of a page, for `onFailure: 'stale'`. */
export interface LatestPage {
  readonly page: NarratedPage
  readonly segments: readonly ScriptSegment[]
}

/** What is stored of an audio. */
interface MadeAudio {
  readonly audio: Uint8Array
  readonly durationSeconds: number
  readonly places?: readonly Place[]
}

/** Text and voice of an entry, for people, and its source, for `collect`. */
type Facts = Readonly<Record<string, unknown>>

/**
 * Audio of segments and pages in a folder: `ab/<key>.mp3` and `ab/<key>.json`. Writes are atomic, the JSON last, so several
 * builds may share the folder. A cut, altered or incomplete entry counts as absent.
 */
export class NarrationCache {
  readonly folder: string
  readonly #notes: WarmNotes

  constructor(folder: string, notes: WarmNotes) {
    this.folder = folder
    this.#notes = notes
  }

  /** The audio of a segment, or `undefined`. */
  async piece(voice: VoiceSettings, spoken: string): Promise<CachedAudio | undefined> {
    return this.read(pieceKey(voice, spoken), voice.pieceFormat)
  }

  /** The audio of a page, or `undefined`. A page that has lost its places is joined again. */
  async page(script: NarrationScript): Promise<NarratedPage | undefined> {
    const key = pageKey(script)
    const found = await this.known(key, script.format)
    if (found === undefined) return undefined
    if (isOnePiece(script)) return pageOf(key, found)
    return found.places?.length === script.segments.length ? pageOf(key, found) : undefined
  }

  /** Stores the audio of a segment. Its request is stored without the address: the folder may be published. */
  async storePiece(
    voice: VoiceSettings,
    spoken: string,
    source: string,
    made: { readonly audio: Uint8Array; readonly durationSeconds: number },
  ): Promise<CachedAudio> {
    const { endpoint, model, voice_id, pieceFormat, aigc_metadata, language } = voice
    const request = { endpoint, model, voice_id, response_format: pieceFormat, aigc_metadata, language, input: spoken }
    return this.write(pieceKey(voice, spoken), pieceFormat, made, { source, ...request })
  }

  /** Stores the audio of a page. */
  async storePage(script: NarrationScript, made: Required<MadeAudio>): Promise<NarratedPage> {
    const { source, format, segments } = script
    const facts = { source, response_format: format, pieces: segments.map((segment) => segmentKey(script, segment)) }
    const key = pageKey(script)
    return pageOf(key, await this.write(key, format, made, facts))
  }

  /**
   * Writes down which audio a page has, and the text of its captions.
   * @param name The import, relative to the site's root.
   */
  async noteLatest(
    name: string,
    format: NarrationFormat,
    note: { readonly source: string; readonly key: string; readonly segments: readonly ScriptSegment[] },
  ): Promise<void> {
    const path = this.#latestPath(name, format)
    const text = `${JSON.stringify(note, null, 2)}\n`
    if ((await readFile(path, 'utf8').catch(() => '')) === text) return
    await writingTo(this.folder, async () => {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    })
  }

  /** The audio that {@link NarrationCache.noteLatest} has noted; `undefined` when there is none. */
  async latest(name: string, format: NarrationFormat): Promise<LatestPage | undefined> {
    const note = parseObject(await readFile(this.#latestPath(name, format), 'utf8').catch(() => ''))
    const { key, segments: list } = note ?? {}
    if (typeof key !== 'string' || !Array.isArray(list)) return undefined
    const segments = list.filter(isSegment)
    const found = await this.read(key, format)
    if (found === undefined) return undefined
    const page = pageOf(key, found)
    return page.places.length === segments.length ? { page, segments } : undefined
  }

  #latestPath(name: string, format: NarrationFormat): string {
    return join(this.folder, 'latest', `${hash('sha256', `${format}\0${name}`)}.json`)
  }

  /** As {@link NarrationCache.read}. Does not read files that have not changed since their last check. */
  async known(key: string, format: NarrationFormat): Promise<CachedAudio | undefined> {
    const name = `audio ${this.folder} ${key}.${format}`
    const paths = [this.path(key, format), this.path(key, 'json')]
    const noted = parseNote(this.#notes.get(name))
    if (noted !== undefined && noted.stamps.join() === paths.map(stampOf).join()) {
      const { stamps: _, ...facts } = noted
      return { ...facts, audio: () => readFileSync(this.path(key, format)) }
    }
    // Take the stamps before the read: a file that changes in the meantime then differs from its stamp.
    const stamps = paths.map(settledStampOf)
    const found = await this.read(key, format)
    if (found === undefined || stamps.includes(undefined)) return found
    const { audio: _, ...facts } = found
    this.#notes.set(name, { stamps, ...facts })
    return found
  }

  /** Audio by its key, or `undefined`. Checks the sum, and reads the length from the audio. */
  async read(key: string, format: NarrationFormat): Promise<CachedAudio | undefined> {
    const sidecar = parseSidecar(readIfThere(this.path(key, 'json'))?.toString('utf8') ?? '')
    if (sidecar === undefined) return undefined
    const audio = readIfThere(this.path(key, format))
    if (audio === undefined || hash('sha256', audio) !== sidecar.sha256) return undefined
    const durationSeconds = FORMATS[format].seconds(audio)
    if (durationSeconds === undefined) return undefined
    const { sha256, places } = sidecar
    return { audio: () => audio, bytes: audio.byteLength, durationSeconds, sha256, places }
  }

  /**
   * Stores audio.
   * @param facts Further fields of the JSON.
   * @throws CacheFolderError when the folder cannot be written
   */
  async write(key: string, format: NarrationFormat, made: MadeAudio, facts: Facts): Promise<CachedAudio> {
    const { audio, durationSeconds, places } = made
    const sha256 = hash('sha256', audio)
    await writingTo(this.folder, async () => {
      await writeWhole(this.path(key, format), audio)
      await writeWhole(this.path(key, 'json'), sidecarText({ sha256, durationSeconds, places, facts }))
    })
    return { audio: () => audio, bytes: audio.byteLength, durationSeconds, sha256, places }
  }

  /** The facts of each entry, by key. */
  async *entries(): AsyncGenerator<readonly [key: string, facts: Facts], void, undefined> {
    const names = await readdir(this.folder, { recursive: true }).catch(() => [])
    for (const name of names) {
      const [, key] = /([\da-f]{64})\.json$/.exec(name) ?? []
      if (key === undefined) continue
      const sidecar = parseSidecar(await readFile(join(this.folder, name), 'utf8').catch(() => ''))
      if (sidecar !== undefined) yield [key, sidecar.facts]
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

/** Audio of a page. A page of one piece may have no places of its own. */
export function pageOf(key: string, audio: CachedAudio): NarratedPage {
  return { ...audio, key, places: audio.places ?? [{ startSecond: 0, endSecond: audio.durationSeconds }] }
}

function isSegment(value: unknown): value is ScriptSegment {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'written') === 'string'
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

type AudioNote = Omit<CachedAudio, 'audio'> & { readonly stamps: readonly unknown[] }

function parseNote(value: unknown): AudioNote | undefined {
  const { stamps, sha256, durationSeconds, bytes, places }: Facts = { ...Object(value) }
  if (!Array.isArray(stamps) || typeof sha256 !== 'string') return undefined
  if (typeof durationSeconds !== 'number' || typeof bytes !== 'number') return undefined
  return { stamps, sha256, durationSeconds, bytes, places: readPlaces(places) }
}

/**
 * The JSON of an entry. Its length is for people: the plugin reads the length from the audio. Places are not in the audio, so
 * a sum of them reveals an edit.
 */
function sidecarText(sidecar: {
  readonly sha256: string
  readonly durationSeconds: number
  readonly places: readonly Place[] | undefined
  readonly facts: Facts
}): string {
  const { sha256, durationSeconds, places, facts } = sidecar
  const timed = places === undefined ? {} : { places, placesSum: sumOf(sha256, places) }
  return `${JSON.stringify({ sha256, durationSeconds, ...facts, ...timed }, null, 2)}\n`
}

/** Parses the JSON of an entry; `undefined` for an empty, cut or other text. */
function parseSidecar(
  text: string,
): { readonly sha256: string; readonly places: readonly Place[] | undefined; readonly facts: Facts } | undefined {
  const { sha256, durationSeconds: _, places, placesSum, ...facts } = parseObject(text) ?? {}
  if (typeof sha256 !== 'string') return undefined
  const read = readPlaces(places)
  return { sha256, places: read !== undefined && placesSum === sumOf(sha256, read) ? read : undefined, facts }
}

function parseObject(text: string): Facts | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Parses places from JSON; `undefined` for any other value. */
export function readPlaces(value: unknown): readonly Place[] | undefined {
  return readList(value, (one) => {
    const times = readTimes(one)
    const pauses = times === undefined ? undefined : readList(Reflect.get(Object(one), 'pauses'), readTimes)
    return times === undefined || pauses === undefined ? times : { ...times, pauses }
  })
}

function readList<Item>(value: unknown, read: (one: unknown) => Item | undefined): readonly Item[] | undefined {
  if (!Array.isArray(value)) return undefined
  const list: readonly unknown[] = value
  const items = list.flatMap((one) => read(one) ?? [])
  return items.length === list.length ? items : undefined
}

function readTimes(one: unknown): Pause | undefined {
  const { startSecond, endSecond }: Facts = { ...Object(one) }
  return typeof startSecond === 'number' && typeof endSecond === 'number' ? { startSecond, endSecond } : undefined
}

function sumOf(sha256: string, places: readonly Place[]): string {
  return hash('sha256', JSON.stringify([sha256, places])).slice(0, 16)
}
