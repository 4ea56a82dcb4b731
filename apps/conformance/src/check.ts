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
