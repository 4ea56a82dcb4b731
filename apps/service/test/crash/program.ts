import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Tenants and their keys. */
export const TENANTS = { first: 'crash-key-of-the-first', second: 'crash-key-of-the-second' } as const

/** A service in a process of its own, to be killed. */
export interface Program {
  readonly url: string
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  /** Ends it as a supervisor would. @throws when it does not end cleanly */
  stop(): Promise<void>
}

/** Starts the service as a person would, and waits until it is ready. */
export async function startProgram(dataDir: string): Promise<Program> {
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--data-dir', dataDir], {
    env: {
      PATH: process.env['PATH'] ?? '',
      SVC_AUDIO_API_KEYS: Object.entries(TENANTS)
        .map((pair) => pair.join(':'))
        .join(','),
      SVC_AUDIO_WEBHOOK_ALLOW: 'http://127.0.0.1',
      SVC_AUDIO_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stderr.on('data', (data: Buffer) => (said.stderr += data.toString()))
  const exited = once(child, 'exit')
  const url = await ready(child, said)
  return {
    url,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
      if (child.exitCode !== 0) throw new Error(`The service ended with ${child.exitCode}: ${said.stderr}`)
    },
  }
}

async function ready(child: ChildProcess, said: { stdout: string; readonly stderr: string }): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.stdout?.on('data', (data: Buffer) => {
    said.stdout += data.toString()
    const url = /address {2}(\S+)/.exec(said.stdout)?.[1]
    if (url !== undefined) resolve(url)
  })
  child.once('exit', () => reject(new Error(`The service did not start: ${said.stderr}`)))
  return promise
}
