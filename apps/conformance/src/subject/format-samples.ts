import { readFileSync } from 'node:fs'

/** A short audio file. */
export interface FormatSample {
  readonly filename: string
  /** Whether the audio has words. */
  readonly hasWords: boolean
  readonly bytes: Uint8Array<ArrayBuffer>
}

const FOLDER = new URL('../../samples/', import.meta.url)

/** Returns the file of a format, by its lower-case name in the interface. */
export function formatSample(name: string): FormatSample {
  const filename = `speech.${name === 'alac' ? 'alac.m4a' : name}`
  return { filename, hasWords: name !== 'amr', bytes: new Uint8Array(readFileSync(new URL(filename, FOLDER))) }
}
