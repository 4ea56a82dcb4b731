// Prints the skipped tests and the closing line. A skipped test without a reason in skips.json fails the run.
import { readFileSync } from 'node:fs'

const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')))
/** Full test name → why it may be skipped. */
const allowed = JSON.parse(readFileSync(new URL('skips.json', import.meta.url), 'utf8'))
const tests = reports.flatMap((report) => report.testResults).flatMap((file) => file.assertionResults)
const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed')

console.log(`\nSkipped tests: ${skipped.length === 0 ? 'none' : ''}`)
for (const { fullName } of skipped) console.log(`  ${fullName}: ${allowed[fullName] ?? 'NO REASON GIVEN'}`)
const unexplained = skipped.filter(({ fullName }) => allowed[fullName] === undefined)
const passed = tests.filter((test) => test.status === 'passed').length
const failed = tests.filter((test) => test.status === 'failed').length
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`)
if (unexplained.length > 0 || failed > 0 || passed === 0) process.exitCode = 1
