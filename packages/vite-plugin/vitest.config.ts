import { defineProject } from 'vitest/config'

export default defineProject({ test: { include: ['{src,player,test,test-types}/**/*.test.ts'] } })
