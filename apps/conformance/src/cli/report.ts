import { OUTCOMES, type RuleResult } from '../run.ts'

/** Longest reason in the table. */
const WHY = 160

/** Formats a table of each rule, its outcome and the reason. */
export function report(results: readonly RuleResult[]): string {
  const width = Math.max(4, ...results.map(({ rule }) => rule.length))
  const outcomeWidth = Math.max(...OUTCOMES.map(({ length }) => length))
  const lines = results.map(({ rule, outcome, why }) =>
    `${rule.padEnd(width)}  ${outcome.padEnd(outcomeWidth)}  ${shorten(why ?? '')}`.trimEnd(),
  )
  const head = `${'rule'.padEnd(width)}  ${''.padEnd(outcomeWidth)}  why`
  return [head, ...lines, '', summarize(results)].join('\n')
}

/** Counts the rules by outcome. */
export function summarize(results: readonly RuleResult[]): string {
  const counts = OUTCOMES.map(
    (outcome) => `${results.filter((result) => result.outcome === outcome).length} ${outcome}`,
  )
  return `${results.length} rules: ${counts.join(', ')}`
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > WHY ? `${line.slice(0, WHY)}…` : line
}
