import type { Subject } from './subject/subject.ts'

/** One question to a server, about one rule. */
export interface Check {
  /** Id in docs/rules.json. */
  readonly rule: string
  /** What holds on a server that keeps the rule. */
  readonly says: string
  /**
   * Runs the check. Returns if the server follows the rule.
   * @throws Violation, NotSupported or NotChecked; anything else counts as a violation
   */
  readonly run: (subject: Subject) => Promise<void>
}

/** A rule that nobody can check from outside. */
export interface Unobservable {
  readonly rule: string
  readonly reason: string
}

/** The server does not do what the rule says. */
export class Violation extends Error {
  override readonly name = 'Violation' as const
}

/** The rule lets the server leave this out, and it does. */
export class NotSupported extends Error {
  override readonly name = 'NotSupported' as const
}

/** What is needed to ask is missing. The message says what would help. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked' as const
}

/** A check of a rule. */
export function check(rule: string, says: string, run: Check['run']): Check {
  return { rule, says, run }
}

/** Says why a rule has no check. */
export function unobservable(rule: string, reason: string): Unobservable {
  return { rule, reason }
}

/** @throws Violation with the message, unless the condition holds */
export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Violation(message)
}
