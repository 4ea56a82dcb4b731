#!/usr/bin/env node
import { once } from 'node:events'
import { type Command, readCommand } from './cli/command.ts'
import { helpText } from './cli/help.ts'
import type { OperatorCommand } from './cli/operator-command.ts'
import { describeFolderError, describeStartError } from './cli/start-error.ts'
import { hideSqliteWarning } from './cli/sqlite-warning.ts'
import { UsageError } from './cli/usage-error.ts'
import { versionText } from './cli/help.ts'
import type { RunningService } from './service.ts'
import { DEFAULT_OPTIONS, type ServiceOptions } from './service-options.ts'

hideSqliteWarning()
try {
  const command = readCommand(process.argv.slice(2), process.env)
  if (command.name === 'serve') await serve(command.options)
  else if (command.name === 'audit') await attempt(command, () => printAudit(command))
  else process.stdout.write(await say(command))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`svc-audio-service: ${error.message}\n`)
  process.exitCode = 1
}

type AuditCommand = Extract<Command, { readonly name: 'audit' }>
type AdminCommand = Exclude<Command, { readonly name: 'serve' | 'help' | 'version' | 'audit' }>

/** Returns the output of a command that does not serve. */
async function say(command: Exclude<Command, { readonly name: 'serve' | 'audit' }>): Promise<string> {
  if (command.name === 'help') return helpText()
  return command.name === 'version' ? versionText() : attempt(command, () => administer(command))
}

/** @throws UsageError when the folder causes the error; other errors show their stack. */
async function attempt<T>({ options }: AdminCommand | AuditCommand, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const line = await describeCommandError(error, options.dataDir)
    throw line === undefined ? error : new UsageError(line, { cause: error })
  }
}

async function describeCommandError(error: unknown, dataDir: string): Promise<string | undefined> {
  const { describeClusterError } = await import('./cli/cluster-error.ts')
  return describeClusterError(error) ?? describeFolderError(error, dataDir)
}

async function printAudit({ options, filter }: AuditCommand): Promise<void> {
  const { printAuditLog } = await import('./cli/print-audit-log.ts')
  await printAuditLog(options, filter, process.stdout)
}

/** Runs a command that does not serve. Loads its module only now: a mistake in the options is then reported at once. */
async function administer(command: AdminCommand): Promise<string> {
  const { options } = command
  if (command.name === 'migrate') {
    const { migrateDatabase } = await import('./cli/migrate.ts')
    return migrateDatabase(options)
  }
  if (command.name === 'import') {
    const { importFolder } = await import('./cli/import/import-folder.ts')
    return importFolder(options)
  }
  if (command.name === 'doctor') {
    const { examine } = await import('./cli/doctor.ts')
    const { report, healthy } = await examine(options)
    if (!healthy) process.exitCode = 1
    return report
  }
  if (command.name === 'voices delete') {
    const { deleteVoice } = await import('./cli/voices.ts')
    return deleteVoice(options, command.tenant, command.id)
  }
  if (command.name === 'usage') {
    const { readUsage } = await import('./cli/usage.ts')
    return readUsage(options, command)
  }
  if (command.name === 'tasks cancel') {
    const { cancelStoredTask } = await import('./cli/tasks.ts')
    return cancelStoredTask(options, command.tenant, command.id)
  }
  const { createKey, deleteKey, listKeys, readWebhookSecret } = await import('./cli/keys.ts')
  if (command.name === 'keys create') return createKey(options, command.tenant, command.days)
  if (command.name === 'keys delete') return deleteKey(options, command.id)
  if (command.name === 'webhook-secret') return readWebhookSecret(options, command.tenant, options.apiKeys)
  if (command.name === 'keys list') return listKeys(options)
  return operate(command)
}

async function operate(command: OperatorCommand): Promise<string> {
  const { options } = command
  const operator = await import('./cli/operator.ts')
  if (command.name === 'keys rotate') return operator.rotateKey(options, command.id, command.hours)
  if (command.name === 'webhook-secret rotate') {
    return operator.rotateWebhookSecret(options, command.tenant, command.hours)
  }
  if (command.name === 'links rotate') return operator.rotateLinks(options, command.hours)
  if (command.name === 'tenants list') return operator.listSuspended(options)
  if (command.name === 'drain') return operator.drain(options, command.on)
  if (command.name === 'keys create') throw new TypeError('keys create is no command of this function')
  return operator.suspendTenant(options, command.tenant, command.name === 'tenants suspend')
}

async function serve(options: ServiceOptions): Promise<void> {
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  const service = await start(options)
  process.stdout.write(greeting(service, options))
  await stopped
  // A second Ctrl+C does not wait for requests in flight.
  process.once('SIGINT', () => process.exit(130))
  process.stdout.write('Stopping …\n')
  await service.close()
}

async function start(options: ServiceOptions): Promise<RunningService> {
  try {
    // Loaded only now: --help and a mistake in the options are then reported at once.
    const { startService } = await import('./service.ts')
    return await startService(options)
  } catch (error) {
    throw new UsageError(describeStartError(error, { ...DEFAULT_OPTIONS, ...options }), { cause: error })
  }
}

function greeting({ url, newApiKey, newWebhookSecret }: RunningService, { dataDir }: ServiceOptions): string {
  const key =
    newApiKey === undefined
      ? ''
      : `  API key  ${newApiKey}\n           shown this once, stored as a hash only\n  webhooks ${newWebhookSecret}\n           signs them; webhook-secret shows it again\n`
  return `svc-audio service is ready\n  address  ${url}\n  docs     ${url}/docs\n  data     ${dataDir}\n${key}`
}
