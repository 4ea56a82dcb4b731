import { createRequire } from 'node:module'
import { defineProject } from 'vitest/config'

// n8n-workflow's ESM build has extensionless imports that Node cannot load; the CommonJS build is also what n8n loads.
const require = createRequire(import.meta.url)

export default defineProject({
  resolve: { alias: { 'n8n-workflow': require.resolve('n8n-workflow') } },
})
