import { isInteger } from '../checks/values.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'

/** @throws ConfigurationError when a timeout is given that is no number of milliseconds greater than 0 */
export function checkTimeout(timeout: number | undefined, name = 'timeout', longest: number = Infinity): void {
  if (timeout === undefined || (typeof timeout === 'number' && timeout > 0 && timeout <= longest)) return
  throw new ConfigurationError(`${name} must be a number of milliseconds greater than 0`)
}

/** @throws ConfigurationError for anything but a whole number from a least one on */
export function checkWhole(value: number, name: string, least = 1): void {
  if (isInteger(value, least)) return
  throw new ConfigurationError(`${name} must be a whole number, ${least} or more`)
}

/** @throws ConfigurationError for what a header cannot hold */
export function checkPrintable(value: string, name: string, longest: number): void {
  if (typeof value === 'string' && /^[!-~]+$/.test(value) && value.length <= longest) return
  throw new ConfigurationError(`${name} must be 1 to ${longest} visible ASCII characters`)
}
