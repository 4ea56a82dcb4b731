import { InvalidRequestError } from '../errors.ts'
import { isKnownModel } from '../wire/index.ts'
import { isPrivateHost } from './public-url.ts'
import { httpUrl, isInteger } from './values.ts'

/** How the service answers a call: at once, with a task, or with a stream. */
export type Outcome = 'answer' | 'task' | 'stream'

/** A problem of a field. `param` names another field if that one is wrong. */
export type Fault = readonly [code: string, message: string, param?: string | undefined]

/** Checks a field by its value, `undefined` if absent, and by the other fields. */
export type Rule = (value: unknown, fields: Fields, field: string) => Fault | undefined

/** The rule of each field, in the order of the checks. */
export type Rules = Readonly<Record<string, Rule>>

/** The fields of a body. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * Checks the fields of a body. Fields without a rule pass.
 * @param path Prefix of the field names, e.g. `speakers[0].`
 * @throws InvalidRequestError for the first fault
 */
export function check(body: object, rules: Rules, path = ''): void {
  const fields: Fields = { ...body }
  for (const field of Object.keys(rules)) {
    const fault = rules[field]?.(fields[field], fields, path + field)
    if (fault !== undefined) throw new InvalidRequestError(fault[0], fault[2] ?? path + field, fault[1])
  }
}

/** Applies a rule unless the field is absent. */
export function optional(rule: Rule): Rule {
  return (value, ...more) => (value === undefined ? undefined : rule(value, ...more))
}

/** Requires non-empty text. */
export const text: Rule = (value) =>
  typeof value === 'string' && value.trim() !== ''
    ? undefined
    : ['missing_required_field', 'is required and must be a non-empty string']

/** Requires a field. */
export const given: Rule = (value) => (value === undefined ? ['missing_required_field', 'is required'] : undefined)

/** Requires a non-empty list of objects, and checks each by the rules. */
export function items(rules: Rules): Rule {
  return (value, _, field) => {
    if (!isList(value)) return ['missing_required_field', 'is required and must be a non-empty array of objects']
    for (const [index, item] of value.entries()) check(item, rules, `${field}[${index}].`)
    return undefined
  }
}

function isList(value: unknown): value is object[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one !== null)
}

/** Allows text, also empty, or an absent field. */
export const optionalText: Rule = optional((value) =>
  typeof value === 'string' ? undefined : ['invalid_type', 'must be a string'],
)

/** Refuses a field that the call does not take. Dropping it would hide the mistake. */
export function refused(remedy: string, param?: string): Rule {
  return optional(() => ['unsupported_field', remedy, param])
}

/** Allows these values, or an absent field. */
export function oneOf(values: readonly unknown[], code = 'invalid_value', param?: string): Rule {
  const message = `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`
  return optional((value) => (values.includes(value) ? undefined : [code, message, param]))
}

/** Allows `true`, `false`, or an absent field. */
export const flag: Rule = oneOf([true, false], 'invalid_type')

/** Allows an integer within bounds, or an absent field. */
export function integer(min: number, max: number): Rule {
  return optional((value) =>
    isInteger(value, min, max) ? undefined : ['invalid_range', `must be an integer from ${min} to ${max}`],
  )
}

/**
 * The model of a request. An unknown id passes, since a service may have its own ids. A known id of another endpoint is
 * an error.
 *
 * @param prefix Prefix of the model ids of this endpoint
 */
export function modelOf(prefix: string): Rule {
  return (value, ...more) => {
    if (isKnownModel(value) && !value.startsWith(prefix)) {
      return ['unsupported_for_model', `${value} does not work here: use ${prefix}*`]
    }
    return text(value, ...more)
  }
}

/** Only one model of each kind streams. Another known model is an error. */
export function streamedBy(model: string, used: unknown): Fault | undefined {
  return used !== model && isKnownModel(used)
    ? ['unsupported_stream', `${used} does not stream: use ${model}`, 'stream']
    : undefined
}

/** A webhook uses HTTPS (interface: `webhook_url`). Plain HTTP is accepted only for a private host. */
const webhook = optional((value) => {
  const url = httpUrl(value)
  return url !== undefined && (url.protocol === 'https:' || isPrivateHost(url.hostname))
    ? undefined
    : ['invalid_webhook_url', 'must be an absolute HTTPS URL']
})

/** Rules of the fields that choose the outcome of a call. Each method has one outcome and sets them. */
export function outcomeRules(outcome: Outcome, resource: string): Rules {
  if (outcome === 'task') return { async: oneOf([true]), webhook_url: webhook }
  const remedy = refused(`is for tasks only: use ${resource}.createTask()`)
  return { async: remedy, webhook_url: remedy }
}
