import { readFileSync } from 'node:fs'

/** Words of the samples. */
export const SAMPLE_TEXT = 'Good morning. We leave at seven.'

/** A short audio file. */
export interface FormatSample {
  readonly filename: string
  /** Whether the audio says {@link SAMPLE_TEXT}. */
  readonly hasWords: boolean
  readonly bytes: Uint8Array<ArrayBuffer>
}

const FOLDER = new URL('../../samples/', import.meta.url)

/** Returns the file of a format, by its lower-case name in the interface. */
export function formatSample(name: string): FormatSample {
  const filename = `speech.${name === 'alac' ? 'alac.m4a' : name}`
  return { filename, hasWords: name !== 'amr', bytes: new Uint8Array(readFileSync(new URL(filename, FOLDER))) }
}
