import { resolve } from 'node:path'
import type { ServiceOptions } from '../service-options.ts'
import { listSettings, Settings } from './settings.ts'
import { UsageError } from './usage-error.ts'

/**
 * Reads every setting from the command line, then from the environment. Ignores empty values.
 * @param flags Options of the command line, by name without dashes.
 * @throws UsageError naming the option or the variable
 */
export function readSettings(
  flags: Readonly<Record<string, string | boolean | undefined>>,
  environment: NodeJS.ProcessEnv,
): ServiceOptions {
  const given: Record<string, string> = {}
  const origin = new Map<string, string>()
  for (const { name, flag, variable } of listSettings()) {
    const option = flag === undefined ? undefined : flags[flag.slice(2)]
    const text = typeof option === 'string' ? option : environment[variable]
    if (text === undefined || text.trim() === '') continue
    given[name] = text.trim()
    origin.set(name, typeof option === 'string' ? (flag ?? variable) : variable)
  }
  const parsed = Settings.safeParse(given)
  if (parsed.success) return { ...parsed.data, dataDir: parsed.data.dataDir ?? resolve('.svc-audio') }
  const [issue] = parsed.error.issues
  const name = origin.get(String(issue?.path[0])) ?? 'A setting'
  const message = issue?.message ?? 'is not valid'
  throw new UsageError(`${name}${message.startsWith('must') ? ' ' : ': '}${message}`)
}
