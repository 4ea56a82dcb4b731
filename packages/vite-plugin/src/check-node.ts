// Loaded before everything else: what the client needs is missing on an older Node, with errors that name no cause.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(`@svc-audio/vite-plugin needs Node 22.19 or later, and this is Node ${process.versions.node}`)
}

export {}
