import { defineProject } from 'vitest/config'

// Users run it in worker threads too.
export default defineProject({ test: { pool: 'threads' } })
