import { execFile } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

/** Options of {@link run}. */
export interface RunOptions {
  /** Working directory. */
  readonly cwd: string
  /** Variables added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Node program, first on `PATH`. @default the Node of this process */
  readonly node?: string
  /** Deadline in milliseconds. 0 sets none. @default 600,000 */
  readonly timeout?: number
}

/** Result of a finished program. */
export interface RunResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Limit of the output. A run of n8n prints the output of every node. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

/** Length of the output in an error, in characters. */
const MAX_ERROR_OUTPUT = 4000

/**
 * Variables that pnpm sets for its scripts. With them, pnpm installs nothing in a clone, and programs that create a project
 * install it with pnpm.
 */
const OF_A_SCRIPT =
  /^(?:pnpm_config_|PNPM_PACKAGE_NAME$|npm_(?:command$|config_user_agent$|execpath$|lifecycle_|node_execpath$|package_))/

/** The environment of a shell, also when a script of this project runs the tests. */
export function shellEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_A_SCRIPT.test(name)))
}

/**
 * Runs a program to its end. Check `exitCode`: a failed program does not throw.
 *
 * @throws Error when the program cannot be started, exceeds the deadline or prints more than 256 MiB
 */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { cwd, env = {}, node = process.execPath, timeout = 600_000 } = options
  const PATH = `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`
  const settings = { cwd, env: { ...shellEnvironment(), ...env, PATH }, maxBuffer: MAX_OUTPUT_BYTES, timeout }
  return new Promise((resolve, reject) => {
    execFile(program, args, settings, (error, stdout, stderr) => {
      if (error === null) resolve({ exitCode: 0, stdout, stderr })
      else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout, stderr })
      else
        reject(
          new Error(`${program} ${args.join(' ')} did not run to its end:\n${stdout}\n${stderr}`, { cause: error }),
        )
    })
  })
}

/**
 * Runs a program that must succeed.
 *
 * @returns its standard output
 * @throws Error with the end of its output when it fails, and as {@link run}
 */
export async function output(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { exitCode, stdout, stderr } = await run(program, args, options)
  if (exitCode === 0) return stdout
  throw new Error(`${program} ${args.join(' ')} failed:\n${`${stdout}\n${stderr}`.slice(-MAX_ERROR_OUTPUT)}`)
}
