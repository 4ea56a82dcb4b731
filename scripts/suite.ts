// Runs a suite of tests that `test` leaves out. Without a name it lists them. More arguments go to the suite's command.
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { NIGHTLY, SUITES, type Suite } from './suite/suites.ts'

const root = dirname(import.meta.dirname)
const [name, ...args] = process.argv.slice(2).filter((argument) => argument !== '--')

/** @returns Whether every command of the suite passed. The first one that fails ends it. */
function run({ commands, env = {} }: Suite, more: readonly string[]): boolean {
  return commands.every(([program, ...rest]) => {
    const result = spawnSync(program, [...rest, ...more], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    if (result.error !== undefined) console.error(`${program}: ${result.error.message}`)
    return result.status === 0
  })
}

/** Runs every nightly suite to its end, and prints a table. @returns Whether all passed */
function runNightly(): boolean {
  const rows = [...NIGHTLY].map(([suite, content]) => {
    console.log(`\n== ${suite}: ${content.about}`)
    const start = performance.now()
    const passed = run(content, [])
    return `${passed ? '✓' : '✗'} ${suite.padEnd(14)} ${((performance.now() - start) / 60_000).toFixed(1)} min`
  })
  console.log(`\n${rows.join('\n')}`)
  return rows.every((row) => row.startsWith('✓'))
}

function line([suite, { about }]: readonly [string, Suite]): string {
  return `  ${suite.padEnd(14)} ${about}`
}

function list(): void {
  console.log('Usage: suite <name> [arguments of its command]\n')
  console.log(`With each commit:\n${[...SUITES].map(line).join('\n')}\n`)
  console.log(`In the night and before a release, all by \`suite nightly\`:\n${[...NIGHTLY].map(line).join('\n')}`)
}

if (name === undefined) list()
else if (name === 'nightly') process.exitCode = runNightly() ? 0 : 1
else {
  const suite = SUITES.get(name) ?? NIGHTLY.get(name)
  if (suite === undefined) {
    console.error(`There is no suite "${name}". Run \`npx -y pnpm@12 suite\` for their names.`)
    process.exitCode = 2
  } else process.exitCode = run(suite, args) ? 0 : 1
}
