import { readFileSync } from 'node:fs'

/** A rule of docs/rules.json. */
export interface Rule {
  readonly id: string
  readonly section: string
  readonly rule: string
  readonly keeper: 'client' | 'service' | 'both'
}

const RULES = new URL('../../../docs/rules.json', import.meta.url)

/** The rules for servers, in the order of the interface. */
export function serverRules(): readonly Rule[] {
  const list: unknown = JSON.parse(readFileSync(RULES, 'utf8'))
  const rules: unknown = typeof list === 'object' && list !== null && 'rules' in list ? list.rules : []
  return Array.isArray(rules) ? rules.filter(isRule).filter(({ keeper }) => keeper !== 'client') : []
}

/** Narrows the type. `pnpm check` validates the file. */
function isRule(value: unknown): value is Rule {
  return typeof value === 'object' && value !== null && 'id' in value && 'keeper' in value
}

/**
 * Selects rules by a word: an id, a group such as `speech`, or a part of a section's heading.
 * @throws RangeError when the word names no rule
 */
export function chooseRules(rules: readonly Rule[], word: string): readonly Rule[] {
  const exact = rules.filter(({ id }) => id === word || id.startsWith(`${word}.`))
  const chosen =
    exact.length > 0 ? exact : rules.filter(({ section }) => section.toLowerCase().includes(word.toLowerCase()))
  if (chosen.length === 0) throw new RangeError(`No rule or section matches ${word}: see docs/rules.md`)
  return chosen
}
