import { spawnSync } from 'node:child_process'

/** Branches that a change is compared with: the first one that exists. */
const BASES = ['origin/main', 'main']

/**
 * Finds the files that differ from `since`, uncommitted and deleted ones included.
 *
 * @param since A branch or commit. @default the last commit of `origin/main` or `main` in this branch
 * @returns Paths from the root
 * @throws Error when git fails, for example on an unknown branch
 */
export function findChangedFiles(root: string, since?: string): readonly string[] {
  const git = (...args: string[]): string => {
    const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    if (error !== undefined) throw error
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`)
    return stdout
  }
  const exists = (ref: string): boolean =>
    spawnSync('git', ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { cwd: root }).status === 0
  const base = since ?? BASES.find(exists) ?? 'HEAD'
  const start = git('merge-base', base, 'HEAD').trim()
  const paths = [
    ...git('diff', '--name-only', '--no-renames', '-z', start).split('\0'),
    ...git('ls-files', '--others', '--exclude-standard', '-z').split('\0'),
  ]
  return [...new Set(paths)].filter((path) => path !== '').toSorted()
}
