import { readFileSync } from 'node:fs'
import { NotChecked, NotSupported, Violation } from './expect.ts'
import { reasonOf } from './http/api.ts'
import type { Subject } from './subject/subject.ts'

/** A check of one rule on a server. */
export interface Check {
  /** Id in docs/rules.json. */
  readonly rule: string
  /** The checked fact: true on a server that follows the rule. */
  readonly says: string
  /**
   * Runs the check. Returns if the server follows the rule.
   * @throws Violation, NotSupported or NotChecked; any other error counts as a violation
   */
  readonly run: (subject: Subject) => Promise<void>
}

/** A rule that cannot be observed from outside. */
export interface Unobservable {
  readonly rule: string
  readonly reason: string
}

/** Creates a check of a rule. */
export function check(rule: string, says: string, run: Check['run']): Check {
  return { rule, says, run }
}

/** States why a rule has no check. */
export function unobservable(rule: string, reason: string): Unobservable {
  return { rule, reason }
}

/** Outcomes of a check or rule, from best to worst. */
export const OUTCOMES = ['ok', 'not supported', 'not checked', 'fail'] as const
/** One of {@link OUTCOMES}. */
type Outcome = (typeof OUTCOMES)[number]

/** Result of a check. */
export interface CheckResult {
  readonly says: string
  readonly outcome: Outcome
  /** The reason, unless `ok`. */
  readonly why?: string
  readonly milliseconds: number
}

/** Result of a rule: the worst of its checks. */
export interface RuleResult {
  readonly rule: string
  readonly outcome: Outcome
  readonly why?: string
  readonly checks: readonly CheckResult[]
}

/** Options of a run. */
interface Run {
  readonly rules: readonly Rule[]
  readonly checks: readonly Check[]
  readonly unobservable: readonly Unobservable[]
  /** Checks that run at the same time. @default 6 */
  readonly atOnce?: number
  /** Receives each check when it ends. */
  readonly onCheck?: (rule: string, result: CheckResult) => void
}

/** Runs the checks of these rules. A response of the server never throws. */
export async function runChecks(
  subject: Subject,
  { rules, checks, unobservable: unchecked, atOnce = 6, onCheck }: Run,
): Promise<RuleResult[]> {
  const wanted = new Set(rules.map(({ id }) => id))
  const queue = checks.filter(({ rule }) => wanted.has(rule))
  const results = new Map<string, CheckResult[]>()
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const result = await runCheck(subject, next)
      results.set(next.rule, [...(results.get(next.rule) ?? []), result])
      onCheck?.(next.rule, result)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const reasons = new Map(unchecked.map(({ rule, reason }) => [rule, reason]))
  return rules.map(({ id }) => judge(id, results.get(id) ?? [], reasons.get(id)))
}

async function runCheck(subject: Subject, { says, run: ask }: Check): Promise<CheckResult> {
  const start = performance.now()
  const took = (): number => Math.round(performance.now() - start)
  try {
    await ask(subject)
    return { says, outcome: 'ok', milliseconds: took() }
  } catch (error) {
    return { says, ...explain(error), milliseconds: took() }
  }
}

function explain(error: unknown): { readonly outcome: Outcome; readonly why: string } {
  if (error instanceof NotSupported) return { outcome: 'not supported', why: error.message }
  if (error instanceof NotChecked) return { outcome: 'not checked', why: error.message }
  if (error instanceof Violation) return { outcome: 'fail', why: error.message }
  return { outcome: 'fail', why: reasonOf(error) }
}

function judge(rule: string, checks: readonly CheckResult[], reason: string | undefined): RuleResult {
  if (checks.length === 0) return { rule, outcome: 'not checked', why: reason ?? 'the rule has no check', checks }
  const worst = checks.toSorted((one, other) => OUTCOMES.indexOf(other.outcome) - OUTCOMES.indexOf(one.outcome))[0]
  const { outcome = 'ok', why } = worst ?? {}
  return { rule, outcome, ...(why === undefined ? {} : { why }), checks }
}

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
