import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Options of {@link startScript}. */
export interface StartScriptOptions {
  /** The script's own arguments. @default none */
  readonly args?: readonly string[]
  /** Options of Node, e.g. a limit on the heap. @default none */
  readonly nodeOptions?: readonly string[]
}

/** A script that runs. */
export interface RunningScript {
  /** The first thing that it printed, without the line's end: its address, as a rule. */
  readonly printed: string
  /** Ends the process and waits until it is gone. */
  close(): Promise<void>
}

/**
 * Starts a script in a process of its own, so that what is measured there is the script alone. Resolves when it has
 * printed its first line. What it says on its standard error is passed on.
 * @param path The file.
 * @throws Error when it ends without having printed anything
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
