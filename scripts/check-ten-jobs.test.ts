import { expect, test } from 'vitest'
import { JOBS } from './ten-jobs/jobs.ts'
import { renderTenJobs } from './ten-jobs/render.ts'

/** A program with all jobs, each of `lines` lines. */
const program = (lines: number): string =>
  JOBS.map(
    ({ region }) => `  // #region ${region}\n${'  // a comment\n\n  call()\n'.repeat(lines)}  // #endregion\n`,
  ).join('')

test('lines of code are counted without comments and blank lines, and a job without a program has a dash', () => {
  const { page, faults } = renderTenJobs((path) => (path.includes('svc-audio') ? program(2) : ''))
  expect(faults).toEqual([])
  expect(page).toMatch(/\| \[Speech into a file\]\(#speech-into-a-file\) +\| 2 +\| – +\|/)
})

test('a longer program of ours needs a reason', () => {
  const { faults } = renderTenJobs((path) => program(path.includes('svc-audio') ? 3 : 2))
  expect(faults).toHaveLength(JOBS.length)
  expect(faults[0]).toBe('Speech into a file: ours has 3 lines, another 2: give a reason')
})

test('a missing program of ours is a fault', () => {
  expect(renderTenJobs(() => '').faults).toContain('A signed webhook: there is no program of ours')
})
