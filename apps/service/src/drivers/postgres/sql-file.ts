import { readFileSync } from 'node:fs'

/**
 * Reads a function of the database from the folder `functions`, without the comment before it.
 * @param name Its name, with the number that it has for ever: a released function never changes.
 */
export function readFunction(name: string): string {
  const text = readFileSync(new URL(`functions/${name}.sql`, import.meta.url), 'utf8')
  return text.replace(/^(?:--.*\n)+/, '').trim()
}
