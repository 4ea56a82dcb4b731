/** The side that a rule concerns: the client, the service or both. */
export type Keeper = 'client' | 'service' | 'both'

/** A side. Tests are counted per side. */
export type Side = 'client' | 'service'

/** A rule of docs/interface.md. */
export interface Rule {
  /** A group and a slug, e.g. `speech.pause-range`. It never changes, because tests cite it. */
  readonly id: string
  /** The rule's heading in docs/interface.md. */
  readonly section: string
  /** The rule's sentence. */
  readonly rule: string
  readonly keeper: Keeper
}

/** Content of docs/rules.json. */
export interface RuleList {
  /** Sides that must have a test of each rule. */
  readonly due: readonly Side[]
  readonly rules: readonly Rule[]
}

/** Returns the sides that a rule concerns. */
export function sidesOf({ keeper }: Rule): readonly Side[] {
  return keeper === 'both' ? ['client', 'service'] : [keeper]
}

const SLUG = /^[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * Reads the rules of a file.
 * @throws Error with the first entry that is not a {@link Rule}, or with a duplicate id
 */
export function readRules(json: string): RuleList {
  const value: unknown = JSON.parse(json)
  const { due, rules } = isRecord(value) ? value : {}
  if (!Array.isArray(due) || !due.every(isSide)) throw new Error('due must list client, service or both of them')
  if (!Array.isArray(rules)) throw new Error('rules must be an array')
  const ids = new Set<string>()
  const checked = rules.map((entry: unknown, index): Rule => {
    if (!isRule(entry)) throw new Error(`rules[${index}] is not a rule: ${JSON.stringify(entry)}`)
    if (ids.has(entry.id)) throw new Error(`duplicate id ${entry.id}`)
    ids.add(entry.id)
    return entry
  })
  return { due, rules: checked }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isSide(value: unknown): value is Side {
  return value === 'client' || value === 'service'
}

function isRule(value: unknown): value is Rule {
  if (!isRecord(value)) return false
  const { id, section, rule, keeper, ...rest } = value
  const texts = [section, rule].every((text) => typeof text === 'string' && text !== '')
  const known = isSide(keeper) || keeper === 'both'
  return texts && known && typeof id === 'string' && SLUG.test(id) && Object.keys(rest).length === 0
}
