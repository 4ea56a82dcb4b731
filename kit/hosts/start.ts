import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'
import { type RunOptions, shellEnvironment } from './run.ts'

/** Options of {@link start}. */
export interface StartOptions extends Omit<RunOptions, 'timeout'> {
  /** Pattern of the output of a ready program. */
  readonly ready: RegExp
  /** Deadline of the start, in milliseconds. @default 60,000 */
  readonly timeout?: number
}

/** A running program. Dispose it to stop it. */
export interface RunningProgram extends AsyncDisposable {
  /** The match of `ready` in the output. */
  readonly match: RegExpExecArray
  /** The program's output so far, with its errors. */
  output(): string
  /** Sends SIGTERM and waits for the end. @returns the exit code, `null` after a signal */
  stop(): Promise<number | null>
}

/**
 * Starts a program and waits until it is ready.
 *
 * @throws Error with the program's output when the program ends early or the deadline passes
 */
export async function start(program: string, args: readonly string[], options: StartOptions): Promise<RunningProgram> {
  const { cwd, env = {}, node = process.execPath, ready, timeout = 60_000 } = options
  const PATH = `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`
  const child = spawn(program, args, { cwd, env: { ...shellEnvironment(), ...env, PATH } })
  const ended = once(child, 'close')
  const late = setTimeout(() => child.kill(), timeout)
  let printed = ''
  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    const read = (text: string): void => {
      printed += text
      const found = ready.exec(printed)
      if (found !== null) resolve(found)
    }
    child.stdout.setEncoding('utf8').on('data', read)
    child.stderr.setEncoding('utf8').on('data', read)
    ended.then(
      () => reject(new Error(`${program} ${args.join(' ')} ended before it was ready:\n${printed}`)),
      (error: unknown) => reject(error),
    )
  })
  clearTimeout(late)
  async function stop(): Promise<number | null> {
    child.kill()
    await ended
    return child.exitCode
  }
  return {
    match,
    output: () => printed,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  }
}
