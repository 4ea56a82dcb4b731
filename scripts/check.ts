// Runs the static checks, two or more at a time. `--changed` checks the files that differ from main, with the tests
// nearest to them. Each failure is printed when it happens, and the names of all failures at the end.
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { commandLineFault } from '../kit/options/src/names.ts'
import { findChangedFiles } from './check/changed.ts'
import { runSteps } from './check/run-steps.ts'
import { allSteps, changedSteps, type Step } from './check/steps.ts'

const root = dirname(import.meta.dirname)
const USAGE = 'Usage: check [--changed] [--since <branch or commit>]'

interface CheckOptions {
  readonly changed: boolean
  readonly since: string | undefined
}

const OPTIONS = { changed: { type: 'boolean', default: false }, since: { type: 'string' } } as const

/** @throws TypeError for an unknown option */
function readOptions(): CheckOptions {
  // `pnpm check -- --changed` passes the separator.
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((argument) => argument !== '--'),
    options: OPTIONS,
  })
  return { changed: values.changed || values.since !== undefined, since: values.since }
}

/** @returns `undefined` when nothing differs */
async function chooseSteps({ changed, since }: CheckOptions): Promise<readonly Step[] | undefined> {
  if (!changed) return allSteps()
  const files = findChangedFiles(root, since)
  if (files.length === 0) return undefined
  process.stderr.write(`${files.length} changed ${files.length === 1 ? 'file' : 'files'}\n`)
  return changedSteps(root, files)
}

/** Runs the steps. @returns Whether all passed */
async function check(options: CheckOptions): Promise<boolean> {
  const start = performance.now()
  const steps = await chooseSteps(options)
  if (steps === undefined) {
    process.stderr.write('Nothing differs from main: there is nothing to check.\n')
    return true
  }
  const failed = await runSteps(steps, {
    cwd: root,
    parallel: Math.max(2, availableParallelism()),
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
      TURBO_TELEMETRY_DISABLED: '1',
    },
    write: (text) => process.stderr.write(text),
  })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const result = failed.length === 0 ? `${steps.length} steps passed` : `Failed: ${failed.join(', ')}`
  process.stderr.write(`${result} (${seconds} s)\n`)
  return failed.length === 0
}

try {
  process.exitCode = (await check(readOptions())) ? 0 : 1
} catch (error) {
  process.stderr.write(`${commandLineFault(error, Object.keys(OPTIONS))}\n${USAGE}\n`)
  process.exitCode = 1
}
