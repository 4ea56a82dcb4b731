// Sends refused uploads through real proxies and from Chromium over HTTP/2 to every framework, and prints how many got their
// response. The first argument is the number of uploads of each kind, 50 by default. The second selects apps and proxies by a
// pattern of the tests' names, such as 'Express 5.*haproxy$'.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface Line {
  readonly framework: string
  readonly front: string
  readonly result: Readonly<Record<string, string>>
}

const [count = '50', pattern] = process.argv.slice(2).filter((argument) => argument !== '--')
const times = Number(count)
if (!Number.isSafeInteger(times) || times < 1) throw new TypeError('Usage: refusals [uploads of each kind] [pattern]')
const root = dirname(import.meta.dirname)
const folder = mkdtempSync(join(tmpdir(), 'svc-audio-refusals-report-'))
const report = join(folder, 'report.jsonl')
const vitest = join(root, 'node_modules/.bin/vitest')
const args = ['run', '--config', 'vitest.suites.config.ts', 'proxies.test.ts', '--test-timeout=7200000']
if (pattern !== undefined) args.push('--testNamePattern', pattern)
// One framework is in the suite of a commit, the others are in that of the night.
const statuses = ['hosts', 'matrix'].map((suite) => {
  const env = { ...process.env, SUITE: suite, REFUSALS: String(times), REFUSALS_REPORT: report }
  return spawnSync(vitest, args, { cwd: root, stdio: 'inherit', env }).status
})
if (existsSync(report)) {
  const lines = readFileSync(report, 'utf8')
    .trim()
    .split('\n')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the tests write this file
    .map((line) => JSON.parse(line) as Line)
  const kinds = Object.keys(lines[0]?.result ?? {})
  process.stdout.write(`| App | In front | ${kinds.join(' | ')} |\n|${' --- |'.repeat(kinds.length + 2)}\n`)
  for (const { framework, front, result } of lines) {
    process.stdout.write(`| ${framework} | ${front} | ${kinds.map((kind) => result[kind]).join(' | ')} |\n`)
  }
}
rmSync(folder, { recursive: true })
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1
