import { ConfigurationError } from '../errors/request-errors.ts'

/** Oldest Node that this package runs on, as `engines` of its package.json says. */
const OLDEST_NODE = [22, 19] as const

/**
 * Checks that this is a Node on which the client works.
 * @throws ConfigurationError that names the version needed and the version found, or the entry for another runtime
 */
export function checkRuntime(): void {
  if ('Bun' in globalThis) {
    throw new ConfigurationError("On Bun use createFetchClient() of '@svc-audio/core/fetch' instead of AudioClient")
  }
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new ConfigurationError(
    `@svc-audio/core needs Node ${OLDEST_NODE.join('.')} or later, found ${node}: update Node`,
  )
}
