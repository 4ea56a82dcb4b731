import { isInteger } from '../checks/values.ts'
import { ConfigurationError } from '../errors/request-errors.ts'

/** @throws ConfigurationError unless the timeout is absent or a number of milliseconds greater than 0 */
export function checkTimeout(timeout: number | undefined, name = 'timeout', longest: number = Infinity): void {
  if (timeout === undefined || (typeof timeout === 'number' && timeout > 0 && timeout <= longest)) return
  throw new ConfigurationError(`${name} must be a number of milliseconds greater than 0`)
}

/** @throws ConfigurationError unless the value is a whole number, `least` or more */
export function checkWhole(value: number, name: string, least = 1): void {
  if (isInteger(value, least)) return
  throw new ConfigurationError(`${name} must be a whole number, ${least} or more`)
}

/** @throws ConfigurationError for a value that no header can contain */
export function checkPrintable(value: string, name: string, longest: number): void {
  if (typeof value === 'string' && /^[!-~]+$/.test(value) && value.length <= longest) return
  throw new ConfigurationError(`${name} must be 1 to ${longest} visible ASCII characters`)
}

/** @throws ConfigurationError for a header name or value that HTTP does not allow */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(key)) {
      throw new ConfigurationError(`headers has an invalid name: ${JSON.stringify(key)}`)
    }
    // The value may be a secret, so the message does not repeat it.
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new ConfigurationError(`headers.${key} must be a string of printable Latin-1 characters`)
    }
  }
}
