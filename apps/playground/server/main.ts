import { type CommandOptions, HELP, readOptions, UsageError } from './options.ts'

try {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === undefined) process.stdout.write(HELP)
  else await serve(options)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`playground: ${error.message}\n`)
  process.exitCode = 1
}

/** Serves until a signal stops the process. */
async function serve(options: CommandOptions): Promise<void> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      stop.abort()
      // A second signal does not wait for the cleanup.
      process.once(name, () => process.exit(130))
    })
  }
  // Loaded late: --help and option errors then answer at once.
  const { startPlayground } = await import('./start-playground.ts')
  const playground = await startPlayground({ ...options, onWork: (line) => process.stdout.write(`${line}\n`) })
  process.stdout.write(
    `svc-audio playground is ready\n  address  ${playground.url}\n${options.baseUrl === undefined ? '' : `  service  ${options.baseUrl}\n`}  stop     Ctrl+C\n`,
  )
  await new Promise<void>((resolve) => {
    if (stop.signal.aborted) resolve()
    else stop.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  process.stdout.write('Stopping …\n')
  await playground.close()
}
