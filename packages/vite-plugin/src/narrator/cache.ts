import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type NarrationFormat, isNarrationFormat } from '../audio/formats.ts'

/** A finished narration. */
export interface NarratedAudio {
  readonly audio: Uint8Array
  readonly durationSeconds: number
  /** sha256 of the audio, hexadecimal. */
  readonly sha256: string
}

/** What stands beside the audio. Further fields say what it is, for people and tools that look into the folder. */
interface Sidecar {
  readonly sha256: string
  readonly durationSeconds: number
}

/**
 * Narrations in a folder: `ab/<key>.mp3` and `ab/<key>.json`. Both appear whole or not at all, the JSON last, so several
 * builds may share the folder; an entry that is cut, altered or half there counts as absent.
 */
export class NarrationCache {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** A narration by its key, or `undefined`. The audio is checked against its sum. */
  async read(key: string, format: NarrationFormat): Promise<NarratedAudio | undefined> {
    const sidecar = parseSidecar(await readFile(this.#path(key, 'json'), 'utf8').catch(() => ''))
    if (sidecar === undefined) return undefined
    const audio = await readFile(this.#path(key, format)).catch(() => undefined)
    return audio === undefined || sha256(audio) !== sidecar.sha256 ? undefined : { audio, ...sidecar }
  }

  /**
   * Keeps a narration.
   * @param facts Further fields for the JSON.
   * @throws Error of the system when the folder cannot be written
   */
  async write(
    key: string,
    format: NarrationFormat,
    made: { readonly audio: Uint8Array; readonly durationSeconds: number },
    facts: object,
  ): Promise<NarratedAudio> {
    const { audio, durationSeconds } = made
    const sidecar = { sha256: sha256(audio), durationSeconds }
    await writeWhole(this.#path(key, format), audio)
    await writeWhole(this.#path(key, 'json'), `${JSON.stringify({ ...sidecar, ...facts }, null, 2)}\n`)
    return { audio, ...sidecar }
  }

  #path(key: string, extension: string): string {
    return join(this.folder, key.slice(0, 2), `${key}.${extension}`)
  }
}

/** A narration's file name, taken apart; `undefined` for anything else. */
export function parseFileName(name: string): { readonly key: string; readonly format: NarrationFormat } | undefined {
  const [, key, format] = /^([\da-f]{64})\.([a-z\d]+)$/.exec(name) ?? []
  return key !== undefined && format !== undefined && isNarrationFormat(format) ? { key, format } : undefined
}

/** Under another name first, then renamed: nobody ever sees half a file. */
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

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function parseSidecar(text: string): Sidecar | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    const sum: unknown = Reflect.get(value, 'sha256')
    const durationSeconds: unknown = Reflect.get(value, 'durationSeconds')
    if (typeof sum !== 'string' || typeof durationSeconds !== 'number' || !(durationSeconds > 0)) return undefined
    return { sha256: sum, durationSeconds }
  } catch {
    return undefined // empty, cut or no JSON: as good as absent
  }
}
