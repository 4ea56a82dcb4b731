import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const WATCH = new URL('watch-steps.ts', import.meta.url).href

/** Tenants and their keys. */
export const TENANTS = { first: 'crash-key-of-the-first', second: 'crash-key-of-the-second' } as const

/** A tenant of the killed service. */
export type Tenant = keyof typeof TENANTS

/** Options of {@link startProgram}. */
export interface ProgramOptions {
  readonly dataDir: string
  /** File that records the syncs. */
  readonly stepsFolder: string
  /** Steps before the service kills itself. @default never */
  readonly crashAfter?: number | undefined
}

/** A service in a separate process, to be killed. */
export interface Program {
  readonly url: string
  readonly dataDir: string
  /** Resolves when the process has ended in any way. */
  readonly exited: Promise<unknown>
  /**
   * Runs a command beside the service. @returns Its output. @throws CutOffError when it was killed; its error output
   * otherwise
   */
  admin(...command: readonly string[]): Promise<string>
  /**
   * Kills it, as a power cut would. @throws when it has ended otherwise. @param options.commands Whether every command
   * beside it ends too.
   */
  kill(options: { readonly commands: boolean }): Promise<void>
  /** Stops it, as a supervisor would. @throws when it does not exit cleanly */
  stop(): Promise<void>
}

/** A process was killed before its expected output. */
export class CutOffError extends Error {
  override readonly name = 'CutOffError' as const
}

/**
 * Starts the service as a user would, and waits until it is ready.
 * @throws CutOffError when it killed itself before
 */
export async function startProgram({ dataDir, stepsFolder, crashAfter }: ProgramOptions): Promise<Program> {
  const environment = { ...ENVIRONMENT, CRASH_STEPS: stepsFolder }
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    spawn(process.execPath, [MAIN, '--data-dir', dataDir, ...args], {
      // Applies to threads too.
      env: { ...environment, NODE_OPTIONS: `--import ${WATCH}`, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const child = run(['--port', '0'], crashAfter === undefined ? {} : { CRASH_AFTER: String(crashAfter) })
  const complaints = text(child.stderr)
  const exited = once(child, 'exit')
  const commands = new Set<ChildProcess>()
  return {
    url: await ready(child, complaints),
    dataDir,
    exited,
    async admin(...command) {
      const beside = run(command)
      commands.add(beside)
      const [said, complaint] = await Promise.all([text(beside.stdout), text(beside.stderr), once(beside, 'exit')])
      commands.delete(beside)
      if (beside.signalCode !== null) throw new CutOffError(command.join(' '))
      if (beside.exitCode !== 0) throw new Error(`${command.join(' ')}: ${complaint}`)
      return said
    },
    async kill(options) {
      child.kill('SIGKILL')
      if (options.commands) for (const command of commands) command.kill('SIGKILL')
      await exited
      if (child.signalCode !== 'SIGKILL') throw new Error(`The service ended by itself: ${await complaints}`)
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
      if (child.exitCode !== 0) throw new Error(`The service ended with ${child.exitCode}: ${await complaints}`)
    },
  }
}

const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  SVC_AUDIO_API_KEYS: Object.entries(TENANTS)
    .map((pair) => pair.join(':'))
    .join(','),
  SVC_AUDIO_WEBHOOK_ALLOW: 'http://127.0.0.1',
  SVC_AUDIO_LOG_LEVEL: 'error',
}

async function ready(child: ChildProcess, complaints: Promise<string>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  child.stdout?.on('data', (data: Buffer) => {
    said += data.toString()
    const url = /address {2}(\S+)/.exec(said)?.[1]
    if (url !== undefined) resolve(url)
  })
  child.once('exit', (_code, signal) => {
    if (signal === 'SIGKILL') reject(new CutOffError('start'))
    else void complaints.then((complaint) => reject(new Error(`The service did not start: ${complaint}`)))
  })
  return promise
}
