import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** The audio of the page `listen`: one file for each voice. */
export const VOICES: string = join(ROOT, 'voices')

/** Returns the paragraph that each voice speaks: the quotation on the page. @throws Error when the page has none */
export function listenText(): string {
  const quoted = /^> (.+)$/m.exec(readFileSync(join(ROOT, 'pages/listen.md'), 'utf8'))?.[1]
  if (quoted === undefined) throw new Error('The page listen has no quotation to speak')
  return quoted
}
