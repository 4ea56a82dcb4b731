import { ConfigurationError } from '../errors.ts'

/** Oldest supported Node, as in `engines` of package.json. */
const OLDEST_NODE = [22, 19] as const

/** Whether this is Node itself. Bun and Deno imitate it. */
export function isNode(): boolean {
  return !('Bun' in globalThis || 'Deno' in globalThis)
}

/**
 * Checks that this is a supported Node, or another runtime that imitates one.
 * @param program What needs it
 * @throws ConfigurationError with the required and the current version
 */
export function checkNode(program: string): void {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  if (!isNode() || major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new ConfigurationError(`${program} needs Node ${OLDEST_NODE.join('.')} or later, found ${node}: update Node`)
}
