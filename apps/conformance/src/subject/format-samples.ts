import { readFileSync } from 'node:fs'

/** A short file in some format. */
export interface FormatSample {
  readonly name: string
  readonly filename: string
  /** Whether there are words in it. */
  readonly hasWords: boolean
  readonly bytes: Uint8Array<ArrayBuffer>
}

const FOLDER = new URL('../../samples/', import.meta.url)

/** Files of these formats, by the names of the interface in lower case. */
export function formatSamples(names: readonly string[]): FormatSample[] {
  return names.map((name) => {
    const filename = `speech.${name === 'alac' ? 'alac.m4a' : name}`
    return { name, filename, hasWords: name !== 'amr', bytes: new Uint8Array(readFileSync(new URL(filename, FOLDER))) }
  })
}
