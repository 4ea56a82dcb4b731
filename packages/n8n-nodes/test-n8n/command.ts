import { execFile } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

/** How a program is run. */
export interface CommandOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
}

/** Most output that is read: a run of n8n prints the output of every node. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

/** How much of a failed program's output is told. */
const TOLD_CHARACTERS = 4000

/**
 * Runs a program with this process's Node before any other, which is what `npm` and `n8n` then run on.
 * @returns What it printed on standard output.
 * @throws Error with the end of what it printed
 */
export function command(program: string, args: readonly string[], { cwd, env }: CommandOptions): Promise<string> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
  const options = { cwd, env: { ...process.env, ...env, PATH: path }, maxBuffer: MAX_OUTPUT_BYTES }
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(' ')} failed:\n${`${stdout}\n${stderr}`.slice(-TOLD_CHARACTERS)}`))
    })
  })
}
