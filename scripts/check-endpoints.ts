// Checks that each endpoint of the service has a test, and either rules of the interface or a page that documents it.
// The types and the start of the service check that each route has an endpoint module with a description.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ENDPOINTS } from '../apps/service/src/endpoints/index.ts'
import { findEndpointFaults } from './endpoints/faults.ts'

const root = dirname(import.meta.dirname)
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { rules }: { readonly rules: readonly { readonly id: string }[] } = JSON.parse(read('docs/rules.json'))
const tests = globSync('apps/service/test/**/*.ts', { cwd: root })
// The redirect to the reference is hidden, and has no path of its own.
const shown = ENDPOINTS.filter(({ isHidden }) => isHidden !== true)
const endpoints = Object.fromEntries(shown.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]))

const faults = findEndpointFaults(endpoints, {
  families: new Set(rules.map(({ id }) => id.split('.', 1)[0] ?? '')),
  page: (path) => (existsSync(join(root, path)) ? read(path) : undefined),
  tests: tests.map(read).join('\n'),
})
for (const fault of faults) console.error(fault)
console.log(`${Object.keys(endpoints).length} endpoints, ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
