#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { commandLineFault } from '#options'
import { CostRefusedError, exitCodeOf } from './errors.ts'
import { diffLines, diffReports, type NarrationReport, parseReport } from './build/report.ts'

const HELP = `Usage: svc-audio-narration diff <before.json> <after.json> [options]

Prints what the narration of a change costs. The files are those of narration({ mode: 'dry-run', report: 'before.json' }).

Options:
  --json                      Print JSON.
  --price-per-million <n>     Price of a million characters.
  --max-characters <n>        Exit with 3 if the change would send more characters.
  --help                      Print this text.
`

const OPTIONS = {
  json: { type: 'boolean', default: false },
  'price-per-million': { type: 'string' },
  'max-characters': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

try {
  await main()
} catch (error) {
  console.error(`svc-audio-narration: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = exitCodeOf(error) ?? 1
}

async function main(): Promise<void> {
  const { values, positionals } = readLine()
  if (values.help) return void process.stdout.write(HELP)
  const [command, before, after, ...more] = positionals
  if (command !== 'diff' || before === undefined || after === undefined || more.length > 0) {
    throw new TypeError(`name the command and two reports\n\n${HELP}`)
  }
  const price = readNumber('price-per-million', values['price-per-million'])
  const max = readNumber('max-characters', values['max-characters'])
  const diff = diffReports(await readReport(before), await readReport(after), price)
  process.stdout.write(values.json ? `${JSON.stringify(diff, null, 2)}\n` : `${diffLines(diff).join('\n')}\n`)
  if (max !== undefined && diff.characters > max) {
    throw new CostRefusedError(`the change would send ${diff.characters} characters, and --max-characters is ${max}`)
  }
}

function readLine() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new TypeError(`${commandLineFault(error, Object.keys(OPTIONS))} (see --help)`, { cause: error })
  }
}

async function readReport(path: string): Promise<NarrationReport> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Error(`cannot read ${path}. Build with narration({ report: '${path}' }) first`, { cause: error })
  })
  return parseReport(text, path)
}

function readNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new TypeError(`--${name} must be a number of at least 0, got ${value}`)
  }
  return number
}
