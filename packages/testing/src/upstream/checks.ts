import {
  callback,
  findOptionFault,
  integer,
  object,
  optional,
  type OptionRule,
  type OptionRules,
  text,
  unknownName,
} from '#options'
import { ROUTES } from './recorded-request.ts'

const TARGETS: readonly string[] = [...ROUTES, '*']

/** Any value. */
export const anything: OptionRule = () => undefined

const OUTCOME: OptionRules = { error: anything, result: optional(object) }
const polls: OptionRule = (value) => (value === undefined || value === Infinity ? undefined : integer(0)(value))
const PLAN: OptionRules = { ...OUTCOME, polls }

const REPLY: OptionRules = {
  status: optional(integer(100)),
  headers: optional(object),
  body: anything,
  finish: optional(text),
  drop: optional(text),
  handled: anything,
}

/**
 * Checks options, so that a misspelt one is not ignored in silence.
 * @throws TypeError for an unknown option
 * @throws RangeError for a wrong value
 */
export function checkOptions(owner: string, options: unknown, rules: OptionRules): void {
  const fault = findOptionFault(options, rules, owner)
  if (fault === undefined) return
  const isUnknown = fault.option === undefined || !Object.hasOwn(rules, fault.option)
  throw new (isUnknown ? TypeError : RangeError)(fault.message)
}

/** @throws TypeError unless the interface has this endpoint */
export function checkTarget(owner: string, target: string): void {
  if (!TARGETS.includes(target)) throw new TypeError(`${owner}: ${unknownName(target, TARGETS, 'endpoint')}`)
}

/** @throws TypeError unless this is a reply or a function that makes one */
export function checkResponse(owner: string, response: unknown): void {
  if (callback(response) !== undefined) checkOptions(`${owner}, the response`, response, REPLY)
}

/** @throws TypeError or RangeError for a wrong plan of a task */
export function checkPlan(owner: string, plan: unknown): void {
  checkOptions(owner, plan, PLAN)
}

/** @throws TypeError or RangeError for a wrong end of a task */
export function checkOutcome(owner: string, outcome: unknown): void {
  checkOptions(owner, outcome, OUTCOME)
}
