import { createHash } from 'node:crypto'
import type { Pause, Place } from '../join/joiner.ts'

/** The JSON beside the audio of a cache entry. */
export interface Sidecar {
  /** sha256 of the audio, hexadecimal. */
  readonly sha256: string
  /** Place of each segment of a joined page; `undefined` for a segment, and after an edit of the JSON. */
  readonly places: readonly Place[] | undefined
  /** Text and voice of the audio, for people, and the source, for `collect`. */
  readonly facts: Readonly<Record<string, unknown>>
}

/**
 * A sidecar as text. Its length is for people: the plugin reads the length from the audio. Places are not in the audio, so
 * a sum of them reveals an edit.
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

/** Parses a sidecar; `undefined` for an empty, cut or other text. */
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
  if (typeof one !== 'object' || one === null) return undefined
  const startSecond: unknown = Reflect.get(one, 'startSecond')
  const endSecond: unknown = Reflect.get(one, 'endSecond')
  return typeof startSecond === 'number' && typeof endSecond === 'number' ? { startSecond, endSecond } : undefined
}

function sumOf(sha256: string, places: readonly Place[]): string {
  return createHash('sha256')
    .update(JSON.stringify([sha256, places]))
    .digest('hex')
    .slice(0, 16)
}
