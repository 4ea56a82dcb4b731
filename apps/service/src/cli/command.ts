import { parseArgs } from 'node:util'
import { commandLineFault, nearHint } from '#options'
import type { ServiceOptions } from '../service-options.ts'
import type { CommandSpec } from './command-spec.ts'
import { COMMANDS } from './commands/index.ts'
import { UsageError } from './errors.ts'
import { readSettings } from './read-settings.ts'
import { listSettings } from './settings.ts'

/** What the command line asks for. */
export type Command =
  /** Help about a command, or about all. */
  | { readonly name: 'help'; readonly about: CommandSpec | undefined }
  | { readonly name: 'version' }
  | { readonly name: 'serve'; readonly options: ServiceOptions }
  /** Resolves with the text to print. */
  | { readonly name: 'run'; readonly options: ServiceOptions; readonly run: () => Promise<string> }

/**
 * Reads the command line and the environment. Checks every setting, whatever the command.
 * @throws UsageError naming the command, the option or the variable
 */
export function readCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const { values, positionals } = parse(args)
  if (values['help'] === true) return { name: 'help', about: findCommand(positionals) }
  if (values['version'] === true) return { name: 'version' }
  if (positionals[0] === 'help') return { name: 'help', about: commandOf(positionals.slice(1)) }
  const spec = commandOf(positionals)
  const given = commandFlags(values)
  refuseForeign(given, spec)
  const options = readSettings(values, environment)
  if (spec === undefined) return { name: 'serve', options }
  const input = { args: positionals.slice(wordsOf(spec).length), flags: given, options }
  return { name: 'run', options, run: spec.read(input) }
}

function wordsOf({ name }: CommandSpec): string[] {
  return name.split(' ')
}

/** The command of the longest name that the words begin with. */
function findCommand(words: readonly string[]): CommandSpec | undefined {
  const fitting = COMMANDS.filter((spec) => wordsOf(spec).every((word, index) => words[index] === word))
  return fitting.toSorted((a, b) => wordsOf(b).length - wordsOf(a).length)[0]
}

/** @returns `undefined` without words. @throws UsageError with the commands that begin alike, or the nearest one */
function commandOf(words: readonly string[]): CommandSpec | undefined {
  const [first] = words
  if (first === undefined) return undefined
  const found = findCommand(words)
  if (found !== undefined) return found
  const verbs = COMMANDS.flatMap((spec) => (wordsOf(spec)[0] === first ? wordsOf(spec).slice(1) : []))
  if (verbs.length > 0) {
    const hint = words[1] === undefined ? '' : nearHint(words[1], verbs)
    throw new UsageError(`${first} needs one of ${verbs.join(', ')}${hint} (see --help)`)
  }
  const names = [...new Set(COMMANDS.map((spec) => wordsOf(spec)[0] ?? ''))]
  throw new UsageError(`Unknown command ${first}${nearHint(first, names)} (see --help)`)
}

const FLAGS = [...new Map(COMMANDS.flatMap(({ flags = [] }) => flags.map((flag) => [flag.name, flag]))).values()]

type Values = Readonly<Record<string, string | boolean | undefined>>

/** The given options that belong to commands. */
function commandFlags(values: Values): Values {
  return Object.fromEntries(FLAGS.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])))
}

/** @throws UsageError for an option of other commands */
function refuseForeign(given: Values, spec: CommandSpec | undefined): void {
  const own = new Set(spec?.flags?.map(({ name }) => name))
  const foreign = Object.keys(given).find((name) => !own.has(name))
  if (foreign === undefined) return
  const owners = COMMANDS.filter(({ flags = [] }) => flags.some(({ name }) => name === foreign))
  const names = owners.map(({ name }) => name).join(', ')
  throw new UsageError(`--${foreign} is an option of ${names}, not of ${spec?.name ?? 'the service'} (see --help)`)
}

function parse(args: readonly string[]) {
  const flags = listSettings().flatMap(({ flag }) => (flag === undefined ? [] : [flag.slice(2)]))
  const settings = Object.fromEntries(flags.map((flag) => [flag, { type: 'string' } as const]))
  const own = Object.fromEntries(
    FLAGS.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
  )
  const flag = { type: 'boolean' } as const
  const options = {
    ...settings,
    ...own,
    config: { type: 'string' } as const,
    help: { ...flag, short: 'h' } as const,
    version: flag,
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${commandLineFault(error, Object.keys(options))} (see --help)`, { cause: error })
  }
}

/** Returns the `--help` text: the commands and every setting, or one command with its options. */
export function helpText(about?: CommandSpec): string {
  return about === undefined ? overview() : commandHelp(about)
}

function overview(): string {
  const commands = [['', 'serves'], ...COMMANDS.map((spec) => [headOf(spec), spec.meaning])]
  const settings = listSettings().map(({ flag, variable, fallback, meaning }) => {
    const names = flag === undefined ? variable : `${flag} <…>, ${variable}`
    return `  ${names}\n      ${meaning.replaceAll('`', '')} (default: ${fallback})`
  })
  return `svc-audio-service: speech and transcription on your own machine

Usage: svc-audio-service [command] [options]
       svc-audio-service <command> --help

Commands, which all but the first also work beside a running service:
${columns(commands)}

Settings, each as an option, an environment variable, or a name in the configuration file:
${settings.join('\n')}
  --config <file>, SVC_AUDIO_CONFIG
      JSON file of settings by the names above without dashes; options and variables win (default: none)
  --help
      shows this
  --version
      shows the version
`
}

function commandHelp(spec: CommandSpec): string {
  const flags = spec.flags ?? []
  const options = flags.map(({ name, value = '', meaning }) => [`--${name} ${value}`.trim(), meaning])
  const end = 'It takes every setting too: svc-audio-service --help shows them.'
  return [
    `Usage: svc-audio-service ${headOf(spec)}${flags.length === 0 ? '' : ' [options]'}`,
    `${spec.name}: ${spec.meaning}.${spec.details === undefined ? '' : `\n${spec.details}`}`,
    ...(options.length === 0 ? [] : [`Options:\n${columns(options)}`]),
    `${end}\n`,
  ].join('\n\n')
}

/** The command with its arguments. */
function headOf({ name, usage }: CommandSpec): string {
  return usage === undefined ? name : `${name} ${usage}`
}

/** Aligns the second column of lines. */
function columns(lines: readonly (readonly string[])[]): string {
  const width = Math.max(...lines.map(([first = '']) => first.length))
  return lines.map(([first = '', second = '']) => `  ${first.padEnd(width)}  ${second}`).join('\n')
}
