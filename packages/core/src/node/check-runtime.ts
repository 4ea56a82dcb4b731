import { ConfigurationError } from '../errors/request-errors.ts'

/** Oldest supported Node, as in `engines` of package.json. */
const OLDEST_NODE = [22, 19] as const

/** Whether this is Node itself. Bun and Deno imitate it. */
export function isNode(): boolean {
  return !('Bun' in globalThis || 'Deno' in globalThis)
}

/**
 * Checks that the client supports this runtime.
 * @throws ConfigurationError with the required and the current version, or the remedy on Bun
 */
export function checkRuntime(): void {
  if ('Bun' in globalThis) {
    throw new ConfigurationError(
      "nodeTransport() needs Node: leave transport out, or pass fetchTransport() of '@svc-audio/core/fetch'",
    )
  }
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new ConfigurationError(
    `@svc-audio/core needs Node ${OLDEST_NODE.join('.')} or later, found ${node}: update Node`,
  )
}
