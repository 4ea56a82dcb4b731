import { parseArgs } from 'node:util'
import { commandLineFault } from '@svc-audio/options'
import { OUTCOMES, type RuleResult } from './check.ts'

/** What `--help` prints. */
export const HELP = `Checks a server of the interface against the rules in docs/rules.md.

Usage: npx -y pnpm@12 conformance [options]

  --base-url <url>       URL of the server, without /v1. By default the command starts the self-hosted service
  --key <key>            API key of the server
  --second-key <key>     a key of another tenant, for the rules about tenants
  --deleted-key <key>    a key that was deleted
  --audio-url <url>      public address of an audio file with speech, for url as a source
  --webhook-url <url>    public HTTPS address that forwards to --webhook-port of this machine
  --webhook-port <n>     local port for webhooks                               (default 8790)
  --quick                sends no transcription, for a server without a recognizer. Words are not checked; voices and
                         durations are
  --large-uploads        uploads 540 MB twice. The server must refuse both
  --word <word>          first word of the server's model ids                  (default svc)
  --only <rule>          a rule, a group of rules or a part of a section's heading. Repeatable
  --at-once <n>          checks in parallel                                    (default 6)
  --timeout <seconds>    deadline of one response or one task                    (default 120)
  --json                 prints the result as JSON
  --table                prints docs/conformance.md and sends no request

The checks upload files and delete them. They create two voices, which the interface cannot delete.
Exit code 1: the server breaks a rule.
`

/** A wrong option on the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const
}

/** Options of the command line. */
export interface Request {
  readonly baseUrl: string | undefined
  readonly key: string | undefined
  readonly secondKey: string | undefined
  readonly deletedKey: string | undefined
  readonly audioUrl: string | undefined
  readonly webhookUrl: string | undefined
  readonly webhookPort: number
  readonly quick: boolean
  readonly largeUploads: boolean
  readonly word: string
  readonly only: readonly string[]
  readonly atOnce: number
  readonly timeout: number
  readonly json: boolean
  readonly table: boolean
  readonly help: boolean
}

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const

/** @throws UsageError naming the option */
export function readRequest(args: readonly string[]): Request {
  const values = parse(args)
  const { 'base-url': baseUrl, key } = values
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) throw new UsageError(`--base-url must be a URL, got ${baseUrl}`)
  if (baseUrl !== undefined && key === undefined) throw new UsageError('--base-url needs --key')
  return {
    baseUrl,
    key,
    secondKey: values['second-key'],
    deletedKey: values['deleted-key'],
    audioUrl: values['audio-url'],
    webhookUrl: values['webhook-url'],
    webhookPort: count('webhook-port', values['webhook-port'], 65_535),
    quick: values.quick,
    largeUploads: values['large-uploads'],
    word: values.word,
    only: values.only ?? [],
    atOnce: count('at-once', values['at-once'], 100),
    timeout: count('timeout', values.timeout, 86_400) * 1000,
    json: values.json,
    table: values.table,
    help: values.help,
  }
}

const OPTIONS = {
  'base-url': text,
  key: text,
  'second-key': text,
  'deleted-key': text,
  'audio-url': text,
  'webhook-url': text,
  'webhook-port': { ...text, default: '8790' },
  quick: flag,
  'large-uploads': flag,
  word: { ...text, default: 'svc' },
  only: { ...text, multiple: true },
  'at-once': { ...text, default: '6' },
  timeout: { ...text, default: '120' },
  json: flag,
  table: flag,
  help: { ...flag, short: 'h' },
} as const

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      // pnpm passes its own `--` separator on.
      args: args.filter((arg) => arg !== '--'),
      options: OPTIONS,
    })
    return values
  } catch (error) {
    throw new UsageError(`${commandLineFault(error, Object.keys(OPTIONS))} (see --help)`, { cause: error })
  }
}

function count(name: string, value: string, max: number): number {
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < 1 || number > max) {
    throw new UsageError(`--${name} must be an integer from 1 to ${max}, got ${value}`)
  }
  return number
}

/** Longest reason in the table. */
const WHY = 160

/** Formats a table of each rule, its outcome and the reason. */
export function report(results: readonly RuleResult[]): string {
  const width = Math.max(4, ...results.map(({ rule }) => rule.length))
  const outcomeWidth = Math.max(...OUTCOMES.map(({ length }) => length))
  const lines = results.map(({ rule, outcome, why }) =>
    `${rule.padEnd(width)}  ${outcome.padEnd(outcomeWidth)}  ${shorten(why ?? '')}`.trimEnd(),
  )
  const head = `${'rule'.padEnd(width)}  ${''.padEnd(outcomeWidth)}  why`
  return [head, ...lines, '', summarize(results)].join('\n')
}

/** Counts the rules by outcome. */
function summarize(results: readonly RuleResult[]): string {
  const counts = OUTCOMES.map(
    (outcome) => `${results.filter((result) => result.outcome === outcome).length} ${outcome}`,
  )
  return `${results.length} rules: ${counts.join(', ')}`
}

function shorten(reason: string): string {
  const line = reason.replaceAll(/\s+/g, ' ')
  return line.length > WHY ? `${line.slice(0, WHY)}…` : line
}
