import { type Check, type Unobservable } from './check.ts'
import { reasonOf } from './http/connection.ts'
import { NotChecked, NotSupported, Violation } from './outcomes.ts'
import type { Rule } from './rules.ts'
import type { Subject } from './subject/subject.ts'

/** Outcomes of a check or rule, from best to worst. */
export const OUTCOMES = ['ok', 'not supported', 'not checked', 'fail'] as const
/** One of {@link OUTCOMES}. */
export type Outcome = (typeof OUTCOMES)[number]

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
export interface Run {
  readonly rules: readonly Rule[]
  readonly checks: readonly Check[]
  readonly unobservable: readonly Unobservable[]
  /** Checks that run at the same time. @default 6 */
  readonly atOnce?: number
  /** Receives each check when it ends. */
  readonly onCheck?: (rule: string, result: CheckResult) => void
}

/** Runs the checks of these rules. A response of the server never throws. */
export async function run(
  subject: Subject,
  { rules, checks, unobservable, atOnce = 6, onCheck }: Run,
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
  const reasons = new Map(unobservable.map(({ rule, reason }) => [rule, reason]))
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
