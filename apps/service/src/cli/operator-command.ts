import type { ServiceOptions } from '../service-options.ts'
import { UsageError } from './usage-error.ts'

/** A command of an operator with its arguments. */
export type OperatorCommand = { readonly options: ServiceOptions } & (
  | { readonly name: 'keys create'; readonly tenant: string; readonly days: number | undefined }
  | { readonly name: 'keys rotate'; readonly id: string; readonly hours: number }
  | { readonly name: 'webhook-secret rotate'; readonly tenant: string; readonly hours: number }
  | { readonly name: 'links rotate'; readonly hours: number }
  | { readonly name: 'tenants list' }
  | { readonly name: 'tenants suspend' | 'tenants resume'; readonly tenant: string }
  | { readonly name: 'drain'; readonly on: boolean }
)

/** Time that a replaced key or secret still works, in hours. */
const GRACE_HOURS = 24

/** Most hours and days. */
const MOST = 100_000

/** @throws UsageError naming the usage */
export function readKeysCreate(rest: readonly string[], options: ServiceOptions): OperatorCommand {
  const [tenant = '', days, ...more] = rest
  if (tenant === '' || more.length > 0) throw new UsageError('keys create needs one tenant, and may have days')
  return { name: 'keys create', tenant: tenantName(tenant), days: optionalNumber(days, 'days'), options }
}

/** @throws UsageError naming the usage */
export function readKeysRotate(rest: readonly string[], options: ServiceOptions): OperatorCommand {
  const [id = '', hours, ...more] = rest
  if (id === '' || more.length > 0) throw new UsageError('keys rotate needs an id, and may have hours')
  return { name: 'keys rotate', id, hours: optionalNumber(hours, 'hours') ?? GRACE_HOURS, options }
}

/** @throws UsageError naming the usage */
export function readWebhookSecretRotate(
  tenant: string,
  rest: readonly string[],
  options: ServiceOptions,
): OperatorCommand {
  const [verb, hours, ...more] = rest
  if (verb !== 'rotate' || more.length > 0) {
    throw new UsageError('webhook-secret needs one tenant, and may have rotate and hours')
  }
  const grace = optionalNumber(hours, 'hours') ?? GRACE_HOURS
  return { name: 'webhook-secret rotate', tenant: tenantName(tenant), hours: grace, options }
}

/**
 * Reads the commands `links`, `tenants` and `drain`. Returns `undefined` for any other.
 * @throws UsageError naming the usage
 */
export function readOperatorCommand(
  [first, verb, ...rest]: readonly string[],
  options: ServiceOptions,
): OperatorCommand | undefined {
  if (first === 'links') {
    if (verb !== 'rotate' || rest.length > 1) throw new UsageError('links needs: rotate, and may have hours')
    return { name: 'links rotate', hours: optionalNumber(rest[0], 'hours') ?? GRACE_HOURS, options }
  }
  if (first === 'drain') {
    if ((verb !== 'on' && verb !== 'off') || rest.length > 0) throw new UsageError('drain needs on or off')
    return { name: 'drain', on: verb === 'on', options }
  }
  if (first !== 'tenants') return undefined
  if (verb === 'list' && rest.length === 0) return { name: 'tenants list', options }
  const [tenant] = rest
  if ((verb !== 'suspend' && verb !== 'resume') || tenant === undefined || rest.length > 1) {
    throw new UsageError('tenants needs list, suspend <tenant> or resume <tenant>')
  }
  return { name: `tenants ${verb}`, tenant: tenantName(tenant), options }
}

/** @throws UsageError for other characters and lengths */
export function tenantName(name: string): string {
  if (/^[\w.-]{1,100}$/.test(name)) return name
  throw new UsageError('A tenant is 1 to 100 letters, digits, dots, dashes and underscores')
}

function optionalNumber(text: string | undefined, unit: string): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= MOST) return number
  throw new UsageError(`${text} is not a whole number of ${unit}`)
}
