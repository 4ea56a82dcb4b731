import { readFileSync } from 'node:fs'
import { BLIND_SPOTS } from './blind-spots.ts'
import type { Check, Unobservable } from './check.ts'
import type { Rule } from './rules.ts'

const HEAD = `# Conformance

The checks of \`npx -y pnpm@12 conformance\` for each rule of the server, and the rules without a check. \`node apps/conformance/src/main.ts --table > docs/conformance.md\` writes this page.
`

const BLIND = `## Faults that the suite does not find

\`apps/conformance/test/faults.test.ts\` plants faults in a proxy before a server that follows every rule. The suite finds all of them but these.
`

/** Renders docs/conformance.md: for each section a table of its rules and their checks. */
export function renderTable(
  rules: readonly Rule[],
  checks: readonly Check[],
  unobservable: readonly Unobservable[],
): string {
  const reasons = new Map(unobservable.map(({ rule, reason }) => [rule, reason]))
  const tables = [...Map.groupBy(rules, ({ section }) => section)].map(([section, own]) => {
    const rows = own.map(({ id, rule }) => {
      const said = checks.filter((check) => check.rule === id).map(({ says }) => says)
      const cell = said.length > 0 ? said.join('<br>') : `not observable: ${reasons.get(id) ?? 'no check'}`
      return `| \`${id}\` | ${escape(rule)} | ${escape(cell)} |`
    })
    return `## ${section}\n\n| Rule | Says | Checks |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return [HEAD, renderBlindSpots(), ...tables].join('\n')
}

function renderBlindSpots(): string {
  const rows = BLIND_SPOTS.map(({ fault, why }) => `| ${escape(fault)} | ${escape(why)} |`)
  return `${BLIND}\n| Fault | Why |\n|---|---|\n${rows.join('\n')}\n`
}

/** Reads the current page. */
export function readTable(): string {
  return readFileSync(new URL('../../../docs/conformance.md', import.meta.url), 'utf8')
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|')
}
