#!/usr/bin/env node
import { once } from 'node:events'
import { HELP, readOptions } from './cli/options.ts'
import { describeStartError } from './cli/start-error.ts'
import { UsageError } from './cli/usage-error.ts'
import type { RunningService, ServiceOptions } from './service.ts'

try {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === undefined) process.stdout.write(HELP)
  else await serve(options)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`svc-audio-service: ${error.message}\n`)
  process.exitCode = 1
}

async function serve(options: ServiceOptions): Promise<void> {
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  const service = await start(options)
  process.stdout.write(greeting(service, options))
  await stopped
  // Whoever asks a second time does not want to wait for running requests.
  process.once('SIGINT', () => process.exit(130))
  process.stdout.write('Stopping …\n')
  await service.close()
}

async function start(options: ServiceOptions): Promise<RunningService> {
  try {
    // Loaded here, so that --help and a mistake in the options are answered at once.
    const { startService } = await import('./service.ts')
    return await startService(options)
  } catch (error) {
    const where = { host: options.host ?? '', port: options.port ?? 0 }
    throw new UsageError(describeStartError(error, where), { cause: error })
  }
}

function greeting({ url, newApiKey }: RunningService, { dataDir }: ServiceOptions): string {
  const key =
    newApiKey === undefined ? '' : `  API key  ${newApiKey}\n           shown this once, kept as a hash only\n`
  return `svc-audio service is ready\n  address  ${url}\n  data     ${dataDir}\n${key}`
}
