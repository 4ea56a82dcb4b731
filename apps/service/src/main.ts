#!/usr/bin/env node
import { once } from 'node:events'
import { type Command, helpText, readCommand } from './cli/command.ts'
import { greeting, hideSqliteWarning, versionText } from './cli/program.ts'
import { describeFolderError, describeStartError, UsageError } from './cli/errors.ts'
import type { RunningService } from './service.ts'
import { DEFAULT_OPTIONS, type ServiceOptions } from './service-options.ts'

hideSqliteWarning()
try {
  const command = readCommand(process.argv.slice(2), process.env)
  if (command.name === 'serve') await serve(command.options)
  else process.stdout.write(await say(command))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`svc-audio-service: ${error.message}\n`)
  process.exitCode = 1
}

/** Returns the output of a command that does not serve. */
async function say(command: Exclude<Command, { readonly name: 'serve' }>): Promise<string> {
  if (command.name === 'help') return helpText(command.about)
  return command.name === 'version' ? versionText() : attempt(command)
}

/** @throws UsageError when the folder causes the error; other errors show their stack. */
async function attempt({ options, run }: Extract<Command, { readonly name: 'run' }>): Promise<string> {
  try {
    return await run()
  } catch (error) {
    const { describeClusterError } = await import('./cli/errors.ts')
    const line = describeClusterError(error) ?? describeFolderError(error, options.dataDir)
    throw line === undefined ? error : new UsageError(line, { cause: error })
  }
}

async function serve(options: ServiceOptions): Promise<void> {
  // A closed terminal sends SIGHUP.
  const stopped = Promise.race(['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => once(process, signal)))
  // A start may wait for the stores. It has nothing to finish.
  const starting = start(options)
  const first = await Promise.race([starting, stopped.then(() => undefined)])
  if (first === undefined) process.exit(0)
  const service = await starting
  process.stdout.write(greeting(service, options.dataDir))
  await stopped
  // Without listeners, the signals of a closing terminal would end the stop.
  process.on('SIGHUP', () => undefined)
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
