import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { output, run } from '../hosts/index.ts'

const PNPM = ['-y', 'pnpm@12'] as const
const RETRY = 'packages/core/src/transport/retry.ts'
const TEST = 'packages/core/src/transport/retry.test.ts'

/** The guard that the example of CONTRIBUTING takes away, and puts back. */
const GUARD = 'repeatable &&'

const CHANGESET = "---\n'@svc-audio/core': patch\n---\n\nA billable call is not repeated after 408.\n"

/**
 * Fixes the bug of CONTRIBUTING in a clone, with its commands: a test that fails, the mend, the checks, a commit.
 * @param folder An empty folder.
 * @returns What is not as CONTRIBUTING says
 */
export async function contribute(root: string, folder: string): Promise<readonly string[]> {
  const clone = join(folder, 'svc-audio')
  const faults: string[] = []
  const git = (...args: string[]): Promise<string> => output('git', args, { cwd: clone })
  const pnpm = async (...args: string[]): Promise<{ readonly exitCode: number; readonly printed: string }> => {
    const { exitCode, stdout, stderr } = await run('npx', [...PNPM, ...args], { cwd: clone, timeout: 1_800_000 })
    return { exitCode, printed: `${stdout}\n${stderr}` }
  }
  await output('git', ['clone', '--quiet', root, clone], { cwd: folder })
  await git('switch', '-c', 'no-retry-after-408')
  const guarded = await readFile(join(clone, RETRY), 'utf8')
  if (!guarded.includes(GUARD)) faults.push(`${RETRY} has no ${GUARD}`)
  await writeFile(join(clone, RETRY), guarded.replace(`(${GUARD} (status === 408`, '((status === 408'))

  const broken = await pnpm('test', TEST)
  if (broken.exitCode === 0) faults.push('the test does not fail with the bug')
  if (!broken.printed.includes('never after 408')) faults.push('the failure does not name "never after 408"')

  await writeFile(join(clone, RETRY), guarded)
  for (const args of [['test', TEST], ['format']]) {
    const { exitCode, printed } = await pnpm(...args)
    if (exitCode !== 0) faults.push(`${args.join(' ')}: ${printed}`)
  }
  // `changeset` asks its questions at a terminal, and writes this file.
  await writeFile(join(clone, '.changeset/a-call-after-408.md'), CHANGESET)
  const checked = await pnpm('check', '--changed')
  if (checked.exitCode !== 0) faults.push(`check --changed: ${checked.printed}`)
  await git('add', '--all')
  const author = ['-c', 'user.name=newcomer', '-c', 'user.email=newcomer@localhost']
  await git(...author, 'commit', '--quiet', '-m', 'Core: a billable call is not repeated after 408')
  const left = await git('status', '--porcelain')
  if (left.trim() !== '') faults.push(`the commands left files behind: ${left}`)
  return faults
}
