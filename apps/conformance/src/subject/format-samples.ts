import { readFileSync } from 'node:fs'

/** A short file in some format. */
export interface FormatSample {
  readonly filename: string
  /** Whether there are words in it. */
  readonly hasWords: boolean
  readonly bytes: Uint8Array<ArrayBuffer>
}

const FOLDER = new URL('../../samples/', import.meta.url)

/** The file of a format, by the name of the interface in lower case. */
export function formatSample(name: string): FormatSample {
  const filename = `speech.${name === 'alac' ? 'alac.m4a' : name}`
  return { filename, hasWords: name !== 'amr', bytes: new Uint8Array(readFileSync(new URL(filename, FOLDER))) }
}
