/** The oldest Node that the plugin runs on. */
export const OLDEST_NODE = '22.19'

// Loaded before everything else: what the client needs is missing on an older Node, with errors that name no cause.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number)
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  throw new Error(
    `@svc-audio/vite-plugin needs Node ${OLDEST_NODE} or later, and this is Node ${process.versions.node}`,
  )
}
