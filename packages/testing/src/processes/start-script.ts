import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Options of {@link startScript}. */
export interface StartScriptOptions {
  /** Arguments of the script. @default none */
  readonly args?: readonly string[]
  /** Options of Node, e.g. a limit on the heap. @default none */
  readonly nodeOptions?: readonly string[]
}

/** A running script. */
export interface RunningScript {
  /** The first printed line, without its line end: usually the script's address. */
  readonly printed: string
  /** Ends the process and waits for its exit. */
  close(): Promise<void>
}

/**
 * Starts a script in a separate process, to measure the script alone. Resolves with its first printed line. Its
 * standard error goes to this process.
 * @param path The file.
 * @throws Error if the script ends before it prints a line
 */
export async function startScript(
  path: string,
  { args = [], nodeOptions = [] }: StartScriptOptions = {},
): Promise<RunningScript> {
  const child = spawn(process.execPath, [...nodeOptions, path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const ready = once(child.stdout.setEncoding('utf8'), 'data')
  const [line] = await Promise.race([ready, ended.then((): unknown[] => [])])
  if (line === undefined) throw new Error(`${path} ended with code ${child.exitCode} before it printed anything`)
  return {
    printed: String(line).trim(),
    async close() {
      child.kill()
      await ended
    },
  }
}
