import { stat } from 'node:fs/promises'
import { ApiError, SvcAudioError } from '@svc-audio/core'
import { createProgress, runDemo, SlowStepError } from './run-demo.ts'
import { UsageError } from '../server/options.ts'
import { type DemoOptions, HELP, readOptions } from './options.ts'

/** Exit codes after a signal, as shells report them: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    process.exitCode = EXIT_CODES[name]
    stop.abort()
    // A second signal does not wait for the cleanup.
    process.once(name, () => process.exit())
  })
}

let options: DemoOptions | undefined
try {
  options = readOptions(process.argv.slice(2))
  if (options === undefined) process.stdout.write(HELP)
  else {
    await checkPaths(options)
    await runDemo(options, {
      progress: createProgress(process.stdout),
      print: (line) => process.stdout.write(`${line}\n`),
      signal: stop.signal,
    })
  }
} catch (error) {
  if (stop.signal.aborted) process.stderr.write('demo: stopped\n')
  else {
    process.stderr.write(`demo: ${describe(error)}\n`)
    process.exitCode = 1
  }
}

/** @throws UsageError naming the option whose path cannot be used */
async function checkPaths({ file, out }: DemoOptions): Promise<void> {
  if (file !== undefined) {
    const found = await stat(file).catch(() => undefined)
    if (found === undefined) throw new UsageError(`--file ${file} does not exist`)
    if (!found.isFile()) throw new UsageError(`--file ${file} is not a file: name a recording`)
    return
  }
  const found = await stat(out).catch(() => undefined)
  if (found !== undefined && !found.isDirectory()) throw new UsageError(`--out ${out} is a file: name a folder`)
}

/** Returns one line for an expected error, and the stack of a defect. */
function describe(error: unknown): string {
  if (error instanceof ApiError) return `${subject(error)}${serviceMessage(error)}`
  if (error instanceof UsageError || error instanceof SlowStepError || SvcAudioError.isInstance(error))
    return error.message
  if (error instanceof Error && 'code' in error) {
    if (error.code === 'EADDRINUSE') return 'the port is in use: choose another with --port, or omit it for a free one'
    if (error.code === 'EACCES' || error.code === 'EROFS') {
      return `cannot write to ${options?.out ?? 'the folder'}: choose another folder with --out`
    }
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Returns the option or file with the refused input. */
function subject({ status, param }: ApiError): string {
  if (options?.file !== undefined) return `${options.file}: `
  return status === 400 && param === 'input' ? '--text: ' : ''
}

/** Returns the service's message without method and address: the user does not know the demo's service. */
function serviceMessage({ message }: ApiError): string {
  return message.replace(/^.* answered \d{3}: /s, '')
}
