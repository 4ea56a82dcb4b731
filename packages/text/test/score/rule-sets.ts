import { readFile } from 'node:fs/promises'
import { splitSentences } from '../../src/sentences/index.ts'

/** How many cases are right. */
export interface Score {
  readonly right: number
  readonly of: number
}

/** A file of `test/rule-sets`. */
interface RuleSet {
  readonly language: string
  readonly cases: readonly {
    readonly name: string
    /** Whether it is one of the Golden Rules. */
    readonly golden: boolean
    readonly text: string
    readonly sentences: readonly string[]
  }[]
}

/** How many cases of a rule set the splitter gets right. White space within a sentence does not count. */
export async function ruleSetScore(name: 'english' | 'german'): Promise<{ golden: Score; all: Score }> {
  const { cases, language }: RuleSet = JSON.parse(
    await readFile(new URL(`../rule-sets/${name}.json`, import.meta.url), 'utf8'),
  )
  const results = cases.map(({ golden, text, sentences }) => {
    const found = splitSentences(text, { language }).map(squeeze)
    return { golden, right: JSON.stringify(found) === JSON.stringify(sentences.map(squeeze)) }
  })
  return { golden: count(results.filter(({ golden }) => golden)), all: count(results) }
}

function count(results: readonly { readonly right: boolean }[]): Score {
  return { right: results.filter(({ right }) => right).length, of: results.length }
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
