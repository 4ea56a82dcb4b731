import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findChangedFiles, findNearestTests } from './check/changed.ts'
import { runSteps } from './check/run-steps.ts'
import type { Step } from './check/steps.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-audio-check-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

describe('the steps of a check', () => {
  const program = (name: string, code: string, more: Partial<Step> = {}): Step => ({
    name,
    command: [process.execPath, '-e', code],
    ...more,
  })
  const run = async (steps: readonly Step[], parallel = 2) => {
    const written: string[] = []
    const failed = await runSteps(steps, { cwd: folder, env: {}, parallel, write: (text) => written.push(text) })
    return { failed, text: written.join('') }
  }

  test('the whole output of a failed step is printed, and nothing of a passed one but its name', async () => {
    const { failed, text } = await run([
      program('good', "console.log('quiet')"),
      program('bad', "console.log('first'); console.error('second'); process.exit(1)"),
    ])
    expect(failed).toEqual(['bad'])
    expect(text).toMatch(/✓ good/)
    expect(text).toMatch(/✗ bad .*\nfirst\nsecond\n/)
    expect(text).not.toMatch(/^quiet/m)
  })

  test('the failures are returned in the order in which they happened', async () => {
    const file = JSON.stringify(join(folder, 'failed'))
    const { failed } = await run([
      program('late', `while (!require('fs').existsSync(${file})); process.exit(1)`),
      program('early', `require('fs').writeFileSync(${file}, ''); process.exit(1)`),
    ])
    expect(failed).toHaveLength(2)
    expect(failed).toContain('late')
  })

  test('a step whose need failed does not run, and says so', async () => {
    const { failed, text } = await run([
      program('needy', "require('fs').writeFileSync('ran', '')", { needs: ['build'] }),
      program('build', 'process.exit(1)'),
    ])
    expect(failed).toEqual(['build'])
    expect(text).toContain('needy did not run: it needs build')
  })

  test('a step runs after its need, and without a need that is not in the list', async () => {
    write('order', '')
    const note = (name: string) => `require('fs').appendFileSync('order', '${name} ')`
    const { failed } = await run([
      program('second', `if (!require('fs').readFileSync('order', 'utf8')) process.exit(1)`, { needs: ['first'] }),
      program('first', note('first'), { needs: ['elsewhere'] }),
    ])
    expect(failed).toEqual([])
  })

  test('steps run at once, up to the limit', async () => {
    const meet = (own: string, other: string) =>
      `const fs = require('fs'); fs.writeFileSync('${own}', ''); while (!fs.existsSync('${other}'));`
    expect((await run([program('a', meet('a', 'b')), program('b', meet('b', 'a'))])).failed).toEqual([])
  })

  test('a program that does not exist is a failure with a remedy', async () => {
    const { failed, text } = await run([{ name: 'lint', command: ['no-such-program'] }])
    expect(failed).toEqual(['lint'])
    expect(text).toContain('no-such-program could not start')
    expect(text).toContain('pnpm@12 install')
  })
})

describe('the changed files', () => {
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com']
    const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }

  beforeEach(() => {
    git('init', '--quiet', '--initial-branch', 'main')
    for (const name of ['stays', 'edited', 'deleted', 'committed']) write(name, 'one')
    git('add', '.')
    git('commit', '--quiet', '-m', 'start')
  })

  test('the changed files are those of the branch, of the index, of the work tree and new ones', () => {
    git('switch', '--quiet', '-c', 'branch')
    write('committed', 'two')
    git('commit', '--quiet', '-am', 'change')
    write('edited', 'two')
    write('new file', 'two')
    rmSync(join(folder, 'deleted'))
    expect(findChangedFiles(folder)).toEqual(['committed', 'deleted', 'edited', 'new file'])
  })

  test('the changed files are none of main after its last common commit', () => {
    git('switch', '--quiet', '-c', 'branch')
    git('switch', '--quiet', 'main')
    write('stays', 'two')
    git('commit', '--quiet', '-am', 'main moves on')
    git('switch', '--quiet', 'branch')
    expect(findChangedFiles(folder)).toEqual([])
  })

  test('since an unknown commit are an error that names it', () => {
    expect(() => findChangedFiles(folder, 'nowhere')).toThrow(/nowhere/)
  })
})

describe('the tests nearest to a change', () => {
  test('come by the number of imports between; slow tests and tests of other files are left out', async () => {
    write('packages/a/src/one.ts', 'export const one = 1')
    write('packages/a/src/one.test.ts', "import { one } from './one.ts'")
    write('packages/a/src/two.ts', "export { one } from './one.ts'")
    write('packages/a/src/two.test.ts', "import { one } from './two.ts'")
    write('packages/a/src/three.ts', "const two = await import('./two.ts')")
    write('packages/a/test/three.test.ts', "import '../src/three.ts'")
    write('packages/a/test/slow.test.ts', "import '../src/one.ts'")
    write('packages/a/test/other.test.ts', "import '../src/other.ts'")
    write('slow-tests.ts', "export const SLOW_TESTS = { 'packages/a': { service: ['test/slow.test.ts'] } }")
    expect(await findNearestTests(folder, ['packages/a/src/one.ts'])).toEqual([
      'packages/a/src/one.test.ts',
      'packages/a/src/two.test.ts',
      'packages/a/test/three.test.ts',
    ])
  })

  test('the tests nearest to a change of a changed test include the test itself', async () => {
    write('packages/a/src/one.test.ts', "import 'vitest'")
    expect(await findNearestTests(folder, ['packages/a/src/one.test.ts'])).toEqual(['packages/a/src/one.test.ts'])
  })
})
