import { defineProject } from 'vitest/config'

// Hono's server for Node replaces the global Response. Other tests need Node's.
export default defineProject({ test: { isolate: true } })
