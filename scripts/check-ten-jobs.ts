// Counts the lines of ten common jobs with this client and with others, and compares docs/ten-jobs.md with their code.
// `--write` writes the page. Without it, an outdated page fails, and so does a longer program of ours without a reason.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderTenJobs } from './ten-jobs/render.ts'

const root = dirname(import.meta.dirname)
const PAGE = 'docs/ten-jobs.md'
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const { page, faults } = renderTenJobs(read)
const all = [...faults]
if (process.argv.includes('--write')) writeFileSync(join(root, PAGE), page)
else if (read(PAGE) !== page) all.push(`${PAGE} is out of date: run node scripts/check-ten-jobs.ts --write`)

for (const fault of all) console.error(fault)
console.log(
  page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n'),
)
process.exitCode = all.length === 0 ? 0 : 1
