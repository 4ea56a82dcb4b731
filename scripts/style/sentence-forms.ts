import type { ProseLine } from './prose.ts'

/** A form of sentence that docs/style.md replaces. */
interface SentenceForm {
  readonly form: RegExp
  /** What to write. */
  readonly write: string
}

const RATE_NOUNS = 'second|minute|hour|day|line'

const FORMS: readonly SentenceForm[] = [
  { form: /\b(?:go|goes|going|went) on\b(?! (?:Error|to))/i, write: 'continue' },
  { form: /\bputs? out\b/i, write: 'output' },
  { form: /\bof (?:before|now)\b/i, write: 'earlier, current' },
  { form: /\bat work\b/i, write: 'running' },
  { form: /\bfor nobody\b/i, write: 'idle' },
  { form: /\b(?:tells?|told|telling) (?:them )?apart\b/i, write: 'distinguish' },
  { form: /\bno (?:command|option) of\b/i, write: 'not available, unknown' },
  { form: /\bMost (?!of\b)[a-z]+ (?:of one|that one|that may|at a time|per|a) /, write: 'maximum' },
  {
    form: new RegExp(String.raw`\b(?:\d(?:[\d,.]*\d)?(?: [kM]?B| [a-z]+s| %)?|times) an? (?:${RATE_NOUNS})\b`),
    write: 'per',
  },
]

/**
 * Finds sentence forms that docs/style.md replaces.
 * @returns One line per form: `path:line: "goes on": write "continue"`.
 */
export function findSentenceForms(path: string, prose: readonly ProseLine[]): string[] {
  return prose.flatMap(({ line, text }) =>
    FORMS.flatMap(({ form, write }) => {
      const found = form.exec(text)?.[0]
      return found === undefined ? [] : [`${path}:${line}: "${found.trim()}": write "${write}"`]
    }),
  )
}
