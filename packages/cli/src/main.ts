#!/usr/bin/env node
import { openAudio } from './open-audio.ts'
import { run } from './run.ts'
import { describeError, UsageError } from './terminal.ts'

/** Exit codes after a signal, as shells report them: 128 plus the signal's number. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

const stop = new AbortController()
for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    process.exitCode = EXIT_CODES[name]
    stop.abort()
    // A second signal does not wait for the clean-up.
    process.once(name, () => process.exit(EXIT_CODES[name]))
  })
}
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` that has enough closes the pipe. Anything else, such as a full disk, loses a result.
  if (error.code !== 'EPIPE') {
    process.stderr.write(`svc-audio: The result cannot be written: ${error.message}\n`)
    process.exitCode = 1
  }
  stop.abort()
})

try {
  const code = await run(process.argv.slice(2), {
    open: () => openAudio(process.env),
    env: process.env,
    terminal: process,
    signal: stop.signal,
  })
  process.exitCode ??= code
} catch (error) {
  if (!stop.signal.aborted) {
    process.stderr.write(`svc-audio: ${describeError(error)}\n`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}
