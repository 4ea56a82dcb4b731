import type { GlossaryTerm } from './glossary.ts'
import type { ProseLine } from './prose.ts'

/**
 * Finds words that the glossary refuses.
 *
 * @returns One line per word: `path:line: "under way": write "in flight"`.
 */
export function findRefused(path: string, prose: readonly ProseLine[], glossary: readonly GlossaryTerm[]): string[] {
  return prose.flatMap(({ line, text }) =>
    glossary.flatMap(({ term, refused }) =>
      refused.filter((word) => contains(text, word)).map((word) => `${path}:${line}: "${word}": write "${term}"`),
    ),
  )
}

function contains(text: string, word: string): boolean {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![\w-])${escaped}(?![\w-])`, 'i').test(text)
}
