import { readFileSync } from 'node:fs'
import type { Check, Rule, Unobservable } from './check.ts'

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

/** A fault that the suite does not find. */
interface BlindSpot {
  readonly fault: string
  readonly why: string
}

/** The planted faults that the suite does not find, and why. */
export const BLIND_SPOTS: readonly BlindSpot[] = [
  {
    fault: 'a transcript lacks one word',
    why: 'Recognizers make errors. The checks require half of the words of each sentence',
  },
  {
    fault: 'the end of the speech is cut by a tenth of a second',
    why: 'Engines pad and trim differently. Durations may differ by half a second or a quarter',
  },
  {
    fault: 'a creation result comes only when its task has ended',
    why: 'A short task may end before its first poll, and no check measures the speed of a server',
  },
  {
    fault: 'a page has 25 voices by default',
    why: 'The check needs more than 20 voices, and voices cannot be deleted after the run',
  },
  {
    fault: 'files over 100 MB are refused',
    why: 'Only an upload of 512 MB shows it. `--large-uploads` sends files that the server may refuse at their head',
  },
  {
    fault: 'keyterms have no effect',
    why: 'A recognizer may hear a term with or without its hint',
  },
  {
    fault: 'expected_duration_sec has no effect',
    why: 'The interface does not say how near the duration must be',
  },
]
