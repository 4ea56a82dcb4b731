import { createHash } from 'node:crypto'
import type { Place } from '../join/joiner.ts'

/** What stands beside the audio of a cache entry, as JSON. */
export interface Sidecar {
  /** sha256 of the audio, hexadecimal. */
  readonly sha256: string
  /** Where each segment of a joined page is; only of an entry whose places are as they were written. */
  readonly places: readonly Place[] | undefined
  /** What the audio says and how, for people, and to find the entry by when keys change. */
  readonly facts: Readonly<Record<string, unknown>>
}

/**
 * A sidecar as text. The length in it is for people, since it is read from the audio; places cannot be read from the
 * audio, so a sum of them shows an edit.
 */
export function sidecarText(sidecar: {
  readonly sha256: string
  readonly durationSeconds: number
  readonly places: readonly Place[] | undefined
  readonly facts: Readonly<Record<string, unknown>>
}): string {
  const { sha256, durationSeconds, places, facts } = sidecar
  const timed = places === undefined ? {} : { places, placesSum: sumOf(sha256, places) }
  return `${JSON.stringify({ sha256, durationSeconds, ...facts, ...timed }, null, 2)}\n`
}

/** Reads a sidecar of this version or of an older one; `undefined` when it is empty, cut or none. */
export function parseSidecar(text: string): Sidecar | undefined {
  const value = parseObject(text)
  if (value === undefined) return undefined
  const { sha256, durationSeconds: _, places, placesSum, ...facts } = value
  if (typeof sha256 !== 'string') return undefined
  const read = readPlaces(places)
  return { sha256, places: read !== undefined && placesSum === sumOf(sha256, read) ? read : undefined, facts }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Places as they stand in JSON; `undefined` for anything else. */
export function readPlaces(value: unknown): readonly Place[] | undefined {
  if (!Array.isArray(value)) return undefined
  const list: readonly unknown[] = value
  const places = list.flatMap((one) => {
    if (typeof one !== 'object' || one === null) return []
    const startSecond: unknown = Reflect.get(one, 'startSecond')
    const endSecond: unknown = Reflect.get(one, 'endSecond')
    return typeof startSecond === 'number' && typeof endSecond === 'number' ? [{ startSecond, endSecond }] : []
  })
  return places.length === list.length ? places : undefined
}

function sumOf(sha256: string, places: readonly Place[]): string {
  return createHash('sha256')
    .update(JSON.stringify([sha256, places]))
    .digest('hex')
    .slice(0, 16)
}
