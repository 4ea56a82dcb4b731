import { defineProject } from 'vitest/config'

// Workers of its own: Hono's server for Node replaces the global Response, which other packages test.
export default defineProject({ test: { maxWorkers: 2 } })
