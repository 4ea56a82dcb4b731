import { defineProject } from 'vitest/config'

export default defineProject({ test: { include: ['demo/**/*.test.ts', 'test/**/*.test.ts'] } })
