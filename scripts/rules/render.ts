import { type Citation, sideOf } from './citations.ts'
import { type Rule, type RuleList, type Side, sidesOf } from './rule.ts'

const HEAD = `# Rules of the interface

Every rule of [interface.md](interface.md), who must keep it, and the test files that cite it. \`pnpm rules\` writes this page from [rules.json](rules.json) and from the tests, where a line such as \`// rules: speech.pause-range\` stands above the test or the case that proves the rule. \`pnpm check\` fails when a rule that is due has no such test.
`

/** The page docs/rules.md: for each section a table of its rules and their tests. */
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

/** Without a line number, which would change with every line above it. */
function link(path: string): string {
  return `[${path.replace(/^(packages|apps)\//, '')}](../${path})`
}
