import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearHint } from '#options'
import { errorCode } from '../domain/error-code.ts'
import { prioritiesOf, type ServiceOptions } from '../service-options.ts'
import { UsageError } from './errors.ts'
import { shapeOf } from './setting-values.ts'
import { listSettings, type SettingLine, Settings } from './settings.ts'

/**
 * Reads every setting from the command line, then from the environment, then from the configuration file of `--config`
 * or `SVC_AUDIO_CONFIG`. Ignores empty values.
 * @param flags Options of the command line, by name without dashes.
 * @throws UsageError naming the option, the variable, or the file with line and name
 */
export function readSettings(
  flags: Readonly<Record<string, string | boolean | undefined>>,
  environment: NodeJS.ProcessEnv,
): ServiceOptions {
  const given: Record<string, string> = {}
  const origin = new Map<string, string>()
  const configured = configuredBy(flags['config'] ?? environment['SVC_AUDIO_CONFIG'])
  for (const { name, flag, variable } of listSettings()) {
    const option = flag === undefined ? undefined : flags[flag.slice(2)]
    const sources = [
      { text: typeof option === 'string' ? option : undefined, origin: flag ?? variable },
      { text: environment[variable], origin: variable },
      configured.get(name),
    ]
    // An empty option still wins over the variable: it selects the default.
    const first = sources.find((source) => source?.text !== undefined)
    const text = first?.text?.trim() ?? ''
    if (first === undefined || text === '') continue
    given[name] = text
    origin.set(name, first.origin)
  }
  const parsed = Settings.safeParse(given)
  if (parsed.success) {
    const { engine, background } = prioritiesOf(parsed.data)
    const name = origin.get('backgroundNice') ?? '--background-nice'
    if (background < engine) throw new UsageError(`${name} must be at least the value of --engine-nice, ${engine}`)
    return { ...parsed.data, dataDir: parsed.data.dataDir ?? resolve('.svc-audio') }
  }
  const [issue] = parsed.error.issues
  const name = origin.get(String(issue?.path[0])) ?? 'A setting'
  const message = issue?.message ?? 'is not valid'
  throw new UsageError(`${name}${message.startsWith('must') ? ' ' : ': '}${message}`)
}

function configuredBy(path: string | boolean | undefined): ReadonlyMap<string, ConfiguredValue> {
  return typeof path !== 'string' || path.trim() === '' ? new Map() : readConfigFile(path.trim())
}

/** A value of the configuration file, as the text that an option or a variable would have. */
interface ConfiguredValue {
  readonly text: string
  /** Where it stands, for errors: file, line and name. */
  readonly origin: string
}

/** Returns the name of a setting in the configuration file: its option without dashes, or its variable in that form. */
export function configName({ flag, variable }: Pick<SettingLine, 'flag' | 'variable'>): string {
  return (
    flag?.slice(2) ??
    variable
      .replace(/^SVC_AUDIO_/, '')
      .toLowerCase()
      .replaceAll('_', '-')
  )
}

/**
 * Reads the configuration file: a JSON object of settings by name. `$schema` is ignored.
 * @returns The values by the option name of {@link ServiceOptions}
 * @throws UsageError naming the file, and the line and the name of what is wrong. It never repeats a value.
 */
export function readConfigFile(path: string): ReadonlyMap<string, ConfiguredValue> {
  const text = readText(path)
  const settings = new Map(listSettings().map((line) => [configName(line), line.name]))
  const values = new Map<string, ConfiguredValue>()
  for (const [name, value] of Object.entries(parse(path, text))) {
    if (name === '$schema') continue
    const origin = `${path}:${lineOf(text, name)}: ${name}`
    const option = settings.get(name)
    if (option === undefined) {
      const hint = nearHint(name, [...settings.keys()])
      throw new UsageError(`${path}:${lineOf(text, name)}: Unknown setting ${name}${hint} (see --help)`)
    }
    const given = textOf(value)
    if (given === undefined) throw new UsageError(`${origin} must be a text, a number, true, false or a list of texts`)
    values.set(option, { text: given, origin })
  }
  return values
}

function readText(path: string): string {
  try {
    // A program of another system may start the file with a mark of its encoding.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const reason =
      errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errorCode(error) ?? 'unknown'})`
    throw new UsageError(`The configuration file ${path} ${reason}. Correct --config or SVC_AUDIO_CONFIG`, {
      cause: error,
    })
  }
}

function parse(path: string, text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The message of the parser repeats a part of the file, which may be a secret. It is not shown: only causes have it.
    const position = /position (?<at>\d+)/.exec(error instanceof Error ? error.message : '')?.groups?.['at']
    const line = lineAt(text, position === undefined ? text.length : Number(position))
    throw new UsageError(`${path}:${line}: this is not valid JSON`, { cause: error })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new UsageError(`${path}:1: the file must be a JSON object, as {"port": 8080}`)
}

/** Lists are those of settings with commas. Empty values are ignored, as empty variables are. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value.join(',') : undefined
}

/** The line of a name, from 1. The last one counts, as for the parser. */
function lineOf(text: string, name: string): number {
  const found = [...text.matchAll(/"(?<name>(?:[^"\\]|\\.)*)"\s*:/g)].filter(
    ({ groups }) => groups?.['name'] === JSON.stringify(name).slice(1, -1),
  )
  return lineAt(text, found.at(-1)?.index ?? 0)
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

/** Returns the JSON schema of the configuration file. `settings.schema.json` of the package has it. */
export function settingsSchema(): object {
  const shape = new Map<string, unknown>(Object.entries(Settings.shape))
  const properties = listSettings().map((line) => {
    const description = `${line.meaning} (default: ${line.fallback})`
    return [configName(line), { description, ...shapeOf(shape.get(line.name)) }] as const
  })
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Settings of svc-audio-service',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  }
}
