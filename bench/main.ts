import { mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { commandLineFault, unknownName } from '@svc-audio/options'
import type { BenchCase, BenchContext, BenchRow } from './harness/bench-case.ts'

const USAGE = 'Usage: node bench/main.ts [--only <name>] [--size <megabytes>] [--json] [--list]'

const OPTIONS = {
  only: { type: 'string' },
  size: { type: 'string' },
  json: { type: 'boolean' },
  list: { type: 'boolean' },
} as const

/** Parsed command line. */
interface Request {
  readonly only?: string
  /** In megabytes, for a quick run of a case. */
  readonly size?: string
  readonly json: boolean
  readonly list: boolean
}

/** Runs the command. @returns The exit code: 1 when a bar is missed or a case fails. */
async function main(): Promise<number> {
  const request = readArguments()
  if (request === undefined) return 1
  const cases = await loadCases()
  const chosen = cases.filter(({ name }) => request.only === undefined || name === request.only)
  if (chosen.length === 0) {
    return fail(
      unknownName(
        request.only ?? '',
        cases.map(({ name }) => name),
        'case',
      ),
    )
  }
  if (request.list) {
    for (const { name, description } of chosen) console.log(`${name}: ${description}`)
    return 0
  }
  const { rows, failed } = await runAll(chosen, request.size === undefined ? {} : { megabytes: Number(request.size) })
  // Ratios hold on any machine, and come first.
  const sorted = rows.toSorted((a, b) => Number(a.ratio === null) - Number(b.ratio === null))
  console.log(request.json ? JSON.stringify(sorted, undefined, 2) : table(sorted))
  return failed || rows.some(({ ok }) => !ok) ? 1 : 0
}

function readArguments(): Request | undefined {
  try {
    const { values } = parseArgs({ options: OPTIONS })
    return { json: false, list: false, ...values }
  } catch (error) {
    fail(`${commandLineFault(error, Object.keys(OPTIONS))}\n${USAGE}`)
    return undefined
  }
}

/** Runs the cases in sequence. A failing case does not stop the others. */
async function runAll(
  cases: readonly BenchCase[],
  settings: Pick<BenchContext, 'megabytes'>,
): Promise<{ rows: BenchRow[]; failed: boolean }> {
  const signal = abortOnSignals()
  const folder = mkdtempSync(join(tmpdir(), 'svc-audio-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const rows: BenchRow[] = []
  let failed = false
  for (const { name, run } of cases) {
    const progress = (text: string): void => console.error(`${name}: ${text}`)
    try {
      rows.push(...(await run({ signal, folder, progress, ...settings })))
    } catch (error) {
      signal.throwIfAborted()
      failed = true
      fail(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
  return { rows, failed }
}

/** Ctrl-C first stops the measured processes; a second one ends this process at once. Both remove the files. */
function abortOnSignals(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      process.exitCode = 128 + constants.signals[name]
      if (controller.signal.aborted) process.exit()
      controller.abort(new Error(`Stopped by ${name}`))
    })
  }
  return controller.signal
}

const FOLDER = new URL('./cases/', import.meta.url)

/**
 * Every case in `bench/cases/`, by file name.
 * @throws Error for a file without a `benchCase`
 */
async function loadCases(): Promise<BenchCase[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts')).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const { benchCase } = (await import(new URL(file, FOLDER).href)) as { benchCase?: BenchCase }
      if (benchCase === undefined) throw new Error(`bench/cases/${file} exports no benchCase`)
      return benchCase
    }),
  )
}

const HEADER = ['name', 'ours', 'limit', 'peers', 'ratio', 'bar', 'ok']

/** The rows as one aligned table. */
function table(rows: readonly BenchRow[]): string {
  const lines = [HEADER, ...rows.map(cells)]
  const widths = HEADER.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const rule = widths.map((width) => '─'.repeat(width))
  return [HEADER, rule, ...lines.slice(1)]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function cells(row: BenchRow): string[] {
  return [
    row.name,
    `${number(row.ours)} ${row.unit}`.trimEnd(),
    row.limit === null ? '' : number(row.limit),
    Object.entries(row.peers)
      .map(([name, value]) => `${name} ${number(value)}`)
      .join(', '),
    row.ratio === null ? '' : row.ratio.toFixed(2),
    row.bar,
    row.ok ? 'ok' : 'MISSED',
  ]
}

/** Three significant digits; whole numbers from 100. */
function number(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}

function fail(line: string): 1 {
  console.error(line)
  return 1
}

try {
  process.exitCode = await main()
} catch (error) {
  // A signal has already set the exit code.
  process.exitCode ??= 1
  console.error(error instanceof Error ? error.message : error)
}
