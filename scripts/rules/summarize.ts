import { type Citation, sideOf } from './citations.ts'
import { type RuleList, sidesOf } from './rule.ts'

/** Returns one line with the number of rules, and the tested rules of each side. */
export function summarize({ due, rules }: RuleList, citations: readonly Citation[]): string {
  const parts = (['client', 'service'] as const).map((side) => {
    const own = rules.filter((rule) => sidesOf(rule).includes(side))
    const cited = new Set(citations.filter(({ path }) => sideOf(path) === side).map(({ id }) => id))
    const tested = own.filter(({ id }) => cited.has(id)).length
    return `${side}: ${tested} of ${own.length} have a test${due.includes(side) ? '' : ', due later'}`
  })
  return [`${rules.length} rules`, ...parts].join('; ')
}
