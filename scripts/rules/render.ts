import { type Citation, sideOf } from './citations.ts'
import { type Rule, type RuleList, type Side, sidesOf } from './rule.ts'

const HEAD = `# Rules of the interface

The rules of [interface.md](interface.md), the sides that they concern, and the files that prove them. A check of apps/conformance names its rule and proves it for the service. A test cites a rule with a line such as \`// rules: speech.pause-range\` above the test or the case. \`pnpm generate\` writes this page from [rules.json](rules.json) and the citations. \`pnpm check\` fails for a due rule without a test.

## What may be clamped

A clamped value is replaced by the nearest allowed one, without an error.

| Value out of range | A server may |
|---|---|
| \`limit\` and \`offset\` of a list | refuse it or clamp it. It never returns more than the maximum |
| \`speed\` and \`expected_duration_sec\` of a stream | only refuse it: \`invalid_range\` |
| \`[pause X.Ys]\` | refuse it or leave the pause out. It never makes a pause of that length |
| A duration of audio, a time, a size or a count in a response | only report what it is |
`

/** Renders docs/rules.md: for each section a table of its rules and their tests. */
export function renderRules(list: RuleList, citations: readonly Citation[]): string {
  const sections = Map.groupBy(list.rules, ({ section }) => section)
  const tables = [...sections].map(([section, rules]) => {
    const rows = rules.map((rule) => renderRow(rule, list.due, citations))
    return `## ${section}\n\n| Rule | Says | Client | Service |\n|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return [HEAD, ...tables].join('\n')
}

function renderRow(rule: Rule, due: readonly Side[], citations: readonly Citation[]): string {
  const sides = (['client', 'service'] as const).map((side) => {
    if (!sidesOf(rule).includes(side)) return ''
    const own = citations.filter(({ id, path }) => id === rule.id && sideOf(path) === side)
    const paths = [...new Set(own.map(({ path }) => path))].toSorted()
    return paths.length === 0 && !due.includes(side) ? 'due later' : paths.map(link).join('<br>')
  })
  return `| ${[`\`${rule.id}\``, rule.rule.replaceAll('|', '\\|'), ...sides].join(' | ')} |`
}

/** Links a file without a line number: line numbers change too often. */
function link(path: string): string {
  return `[${path.replace(/^(apps|engines|kit|packages)\//, '')}](../${path})`
}
