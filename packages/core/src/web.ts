import { ConfigurationError } from './errors.ts'

export { AudioClient } from './fetch/index.ts'
export * from './main.ts'

/**
 * Stands in for the transport of Node where there is no Node.
 * @throws ConfigurationError always, with the remedy
 */
export function nodeTransport(): never {
  throw new ConfigurationError(
    "nodeTransport() needs Node: leave transport out, or pass fetchTransport() of '@svc-audio/core/fetch'",
  )
}
