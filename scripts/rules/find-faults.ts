import { type Citation, sideOf } from './citations.ts'
import type { Section } from './interface-sections.ts'
import { type RuleList, sidesOf } from './rule.ts'

/** Sections with tables that repeat other sections. */
const REPEATING: ReadonlySet<string> = new Set(['Limits'])

/** Returns the gaps of the rules: unknown headings, and sections and fields without a rule. */
export function findGaps({ rules }: RuleList, sections: readonly Section[]): string[] {
  const headings = new Set(sections.map(({ heading }) => heading))
  const unknown = rules.filter(({ section }) => !headings.has(section))
  const gaps = unknown.map(({ id, section }) => `${id}: docs/interface.md has no section “${section}”`)
  for (const { heading, names } of sections) {
    const own = rules.filter(({ section }) => section === heading)
    if (own.length === 0) gaps.push(`the section “${heading}” has no rule`)
    else if (!REPEATING.has(heading)) {
      const said = own.map(({ rule }) => rule).join('\n')
      const missing = names.filter((name) => !said.includes(`\`${name}\``) && !said.includes(`\`${name}=`))
      gaps.push(...missing.map((name) => `no rule of the section “${heading}” names \`${name}\``))
    }
  }
  return gaps
}

/** Returns the citations of unknown rules, and of rules that concern the other side only. */
export function findWrongCitations({ rules }: RuleList, citations: readonly Citation[]): string[] {
  const known = new Map(rules.map((rule) => [rule.id, rule]))
  return citations.flatMap(({ id, path, line }) => {
    const rule = known.get(id)
    if (rule === undefined) return [`${path}:${line}: unknown rule ${id}`]
    if (sidesOf(rule).includes(sideOf(path))) return []
    return [`${path}:${line}: ${id} concerns the ${rule.keeper} only`]
  })
}

/** Returns the due rules without a test. */
export function findUntested({ due, rules }: RuleList, citations: readonly Citation[]): string[] {
  const tested = new Set(citations.map(({ id, path }) => `${sideOf(path)} ${id}`))
  return rules.flatMap((rule) =>
    sidesOf(rule)
      .filter((side) => due.includes(side) && !tested.has(`${side} ${rule.id}`))
      .map((side) => `${rule.id} has no test of the ${side}: ${rule.rule}`),
  )
}
