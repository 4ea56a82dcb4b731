#!/usr/bin/env node
import { once } from 'node:events'
import { HELP, readCommand } from './cli/options.ts'
import { describeStartError } from './cli/start-error.ts'
import { UsageError } from './cli/usage-error.ts'
import type { RunningService } from './service.ts'
import type { ServiceOptions } from './service-options.ts'

try {
  const command = readCommand(process.argv.slice(2), process.env)
  if (command.name === 'help') process.stdout.write(HELP)
  else if (command.name === 'serve') await serve(command.options)
  else {
    const { readWebhookSecret } = await import('./cli/webhook-secret.ts')
    process.stdout.write(`${await readWebhookSecret(command.dataDir, command.tenant)}\n`)
  }
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

function greeting({ url, newApiKey, newWebhookSecret }: RunningService, { dataDir }: ServiceOptions): string {
  const key =
    newApiKey === undefined
      ? ''
      : `  API key  ${newApiKey}\n           shown this once, kept as a hash only\n  webhooks ${newWebhookSecret}\n           signs them; webhook-secret shows it again\n`
  return `svc-audio service is ready\n  address  ${url}\n  data     ${dataDir}\n${key}`
}
