import { resolve } from 'node:path'
import { prioritiesOf, type ServiceOptions } from '../service-options.ts'
import { type ConfiguredValue, readConfigFile } from './config-file.ts'
import { listSettings, Settings } from './settings.ts'
import { UsageError } from './usage-error.ts'

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
