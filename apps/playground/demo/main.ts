import { existsSync } from 'node:fs'
import { SvcAudioError } from '@svc-audio/core'
import { createProgress } from './progress.ts'
import { UsageError } from '../server/usage-error.ts'
import { HELP, readOptions } from './options.ts'
import { runDemo } from './run-demo.ts'

try {
  const options = readOptions(process.argv.slice(2))
  if (options === undefined) process.stdout.write(HELP)
  else {
    if (options.file !== undefined && !existsSync(options.file)) {
      throw new UsageError(`--file ${options.file} does not exist`)
    }
    await runDemo(options, {
      progress: createProgress(process.stdout),
      print: (line) => process.stdout.write(`${line}\n`),
    })
  }
} catch (error) {
  process.stderr.write(`demo: ${describe(error)}\n`)
  process.exitCode = 1
}

/** One line for what is expected to go wrong; the whole error for what is not. */
function describe(error: unknown): string {
  if (error instanceof UsageError || SvcAudioError.isInstance(error)) return error.message
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return 'this port is taken: choose another with --port, or leave it out for a free one'
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
