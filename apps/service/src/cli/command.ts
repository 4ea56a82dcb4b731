import { parseArgs } from 'node:util'
import type { ServiceOptions } from '../service-options.ts'
import type { AuditFilter } from '../ports/audit-store.ts'
import { AUDIT_FILTERS, readAuditFilter } from './audit-filter.ts'
import {
  type OperatorCommand,
  readKeysCreate,
  readKeysRotate,
  readOperatorCommand,
  readWebhookSecretRotate,
  tenantName,
} from './operator-command.ts'
import { readSettings } from './read-settings.ts'
import { listSettings } from './settings.ts'
import { UsageError } from './usage-error.ts'
import { readUsageCommand, refuseUsageFlags, USAGE_FLAGS, type UsageCommand } from './usage-command.ts'

/** A command with its arguments. */
export type Command =
  | { readonly name: 'help' }
  | { readonly name: 'version' }
  | { readonly name: 'serve'; readonly options: ServiceOptions }
  | { readonly name: 'doctor'; readonly options: ServiceOptions }
  | { readonly name: 'migrate'; readonly options: ServiceOptions }
  | { readonly name: 'import'; readonly options: ServiceOptions }
  | { readonly name: 'keys list'; readonly options: ServiceOptions }
  | { readonly name: 'audit'; readonly filter: AuditFilter; readonly options: ServiceOptions }
  | OperatorCommand
  | UsageCommand
  | { readonly name: 'webhook-secret'; readonly tenant: string; readonly options: ServiceOptions }
  | { readonly name: 'keys delete'; readonly id: string; readonly options: ServiceOptions }
  | {
      readonly name: 'voices delete'
      readonly tenant: string
      readonly id: string
      readonly options: ServiceOptions
    }
  | {
      readonly name: 'tasks cancel'
      readonly tenant: string
      readonly id: string
      readonly options: ServiceOptions
    }

/**
 * Reads the command line and the environment. Checks every setting, whatever the command.
 * @throws UsageError naming the command, the option or the variable
 */
export function readCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const { values, positionals } = parse(args)
  if (values['help'] === true) return { name: 'help' }
  if (values['version'] === true) return { name: 'version' }
  const options = readSettings(values, environment)
  const [first, ...rest] = positionals
  if (first === 'usage') return readUsageCommand(rest, values, options)
  refuseUsageFlags(values)
  const filter = readAuditFilter(values, first === 'audit')
  if (first === undefined) return { name: 'serve', options }
  if (first === 'keys') return keysCommand(rest, options)
  if (first === 'voices') return { name: 'voices delete', ...idOfTenant(rest, 'voices', 'delete'), options }
  if (first === 'tasks') return { name: 'tasks cancel', ...idOfTenant(rest, 'tasks', 'cancel'), options }
  if (first === 'doctor' || first === 'migrate' || first === 'import') {
    takes(rest, 0, `${first} takes no arguments`)
    return { name: first, options }
  }
  if (first === 'audit') {
    takes(rest, 0, 'audit takes no arguments: select with --tenant, --action, --since and --until')
    return { name: first, filter, options }
  }
  if (first === 'webhook-secret') {
    const [tenant = '', ...more] = rest
    if (more.length > 0) return readWebhookSecretRotate(tenant, more, options)
    return { name: first, tenant: tenantName(takes(rest, 1, 'webhook-secret needs one tenant')), options }
  }
  const command = readOperatorCommand(positionals, options)
  if (command !== undefined) return command
  throw new UsageError(`Unknown command ${first} (see --help)`)
}

function keysCommand([verb, ...rest]: readonly string[], options: ServiceOptions): Command {
  if (verb === 'create') return readKeysCreate(rest, options)
  if (verb === 'rotate') return readKeysRotate(rest, options)
  if (verb === 'delete') {
    return { name: 'keys delete', id: takes(rest, 1, 'keys delete needs an id; keys list shows the ids'), options }
  }
  if (verb !== 'list') throw new UsageError('keys needs create, list, rotate or delete (see --help)')
  takes(rest, 0, 'keys list takes no arguments')
  return { name: 'keys list', options }
}

/** Reads `<verb> <tenant> <id>`. */
function idOfTenant(
  [verb, tenant, id = '', ...more]: readonly string[],
  noun: string,
  wanted: string,
): { readonly tenant: string; readonly id: string } {
  if (verb === wanted && tenant !== undefined && id !== '' && more.length === 0) return { tenant, id }
  throw new UsageError(`${noun} needs: ${wanted} <tenant> <id>`)
}

/** @returns The first word, or an empty text when no word is wanted. */
function takes(words: readonly string[], count: number, message: string): string {
  if (words.length !== count) throw new UsageError(message)
  return words[0] ?? ''
}

function parse(args: readonly string[]) {
  const flags = listSettings().flatMap(({ flag }) => (flag === undefined ? [] : [flag.slice(2)]))
  const settings = Object.fromEntries(flags.map((flag) => [flag, { type: 'string' } as const]))
  const flag = { type: 'boolean' } as const
  const filters = Object.fromEntries(AUDIT_FILTERS.map((name) => [name, { type: 'string' } as const]))
  const options = { ...settings, ...filters, ...USAGE_FLAGS, help: { ...flag, short: 'h' } as const, version: flag }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${optionFault(error)} (see --help)`, { cause: error })
  }
}

/** Shortens the parser's error to one line. The original adds advice about dashes and quotes. */
function optionFault(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const option = /'(?:-\w, )?(?<option>--?[^\s']+)/.exec(message)?.groups?.['option']
  if (option === undefined) return message
  if (message.startsWith('Unknown')) return `Unknown option ${option}`
  if (message.includes('does not take')) return `${option} takes no value`
  return `${option} needs a value, as ${option}=…`
}
