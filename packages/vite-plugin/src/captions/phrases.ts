import { splitSentences } from '@svc-audio/text/sentences'

/** A part of a text that a cue may end after. */
export interface Phrase {
  readonly text: string
  /** Whether it ends a sentence. Else it ends a clause. */
  readonly endsSentence: boolean
}

/** The end of a clause: its mark, with closing quotes and brackets, before white space. A number has no white space. */
const CLAUSES =
  /(?<=[,;:\u2013\u2014\u2026\u3001\uFF0C\uFF1B\uFF1A]["'\u2019\u201D)\]]*)\s+|(?<=[\u3001\uFF0C\uFF1B\uFF1A])/u

/** Divides a text at the ends of its sentences and clauses. */
export function phrasesOf(text: string, language: string | undefined): Phrase[] {
  return splitSentences(text, { language }).flatMap((sentence) => {
    const clauses = sentence.split(CLAUSES).filter((clause) => clause.trim() !== '')
    return clauses.map((clause, index) => ({ text: clause.trim(), endsSentence: index === clauses.length - 1 }))
  })
}
