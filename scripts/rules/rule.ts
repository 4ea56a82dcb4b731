/** Who must keep a rule of the interface: what the client sends and reads, what the service takes and answers, or both. */
export type Keeper = 'client' | 'service' | 'both'

/** One of the two sides, whose tests are counted apart. */
export type Side = 'client' | 'service'

/** A rule of docs/interface.md. */
export interface Rule {
  /** A slug with its group in front, e.g. `speech.pause-range`. It never changes, since tests cite it. */
  readonly id: string
  /** The heading in docs/interface.md under which it stands. */
  readonly section: string
  /** Its sentence. */
  readonly rule: string
  readonly keeper: Keeper
}

/** What docs/rules.json holds. */
export interface RuleList {
  /** Sides whose rules must have a test by now. */
  readonly due: readonly Side[]
  readonly rules: readonly Rule[]
}

/** The sides that must keep a rule. */
export function sidesOf({ keeper }: Rule): readonly Side[] {
  return keeper === 'both' ? ['client', 'service'] : [keeper]
}

const SLUG = /^[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * The rules of a file.
 * @throws Error naming the first entry that is not as {@link Rule} says, or an id that is there twice
 */
export function readRules(json: string): RuleList {
  const value: unknown = JSON.parse(json)
  const { due, rules } = isRecord(value) ? value : {}
  if (!Array.isArray(due) || !due.every(isSide)) throw new Error('due must list client, service or both of them')
  if (!Array.isArray(rules)) throw new Error('rules must be an array')
  const ids = new Set<string>()
  const checked = rules.map((entry: unknown, index): Rule => {
    if (!isRule(entry)) throw new Error(`rules[${index}] is no rule: ${JSON.stringify(entry)}`)
    if (ids.has(entry.id)) throw new Error(`${entry.id} is there twice`)
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
