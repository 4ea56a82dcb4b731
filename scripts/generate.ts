// Writes the files that are made from others: the index of the rules, the licenses of third parties, the manifests' common
// parts, the notes on installs, and n8n's tables of errors and examples. `check`, or `test` for n8n's tables, fails when one of them is out of date.
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'

const N8N_TABLES = ['error-table', 'example-steps'].map((name) => `packages/n8n-nodes/test/${name}.test.ts`)

const COMMANDS: readonly (readonly [string, ...string[]])[] = [
  ['node', 'scripts/checks/manifests.ts', '--write'],
  ['node', 'scripts/checks/install-notes.ts', '--write'],
  ['node', 'scripts/checks/rules.ts', '--write'],
  ['node', 'scripts/checks/third-party.ts', '--write'],
  ['node', 'scripts/build.ts'],
  ['vitest', 'run', ...N8N_TABLES, '--update'],
]

for (const [program, ...args] of COMMANDS) {
  const { status } = spawnSync(program, args, { cwd: dirname(import.meta.dirname), stdio: 'inherit' })
  if (status !== 0) {
    process.exitCode = 1
    break
  }
}
