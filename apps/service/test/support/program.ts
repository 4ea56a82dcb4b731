import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** The program, started as a user starts it. */
export class Program {
  readonly child: ChildProcessWithoutNullStreams
  stdout = ''
  stderr = ''

  /** @param folder Working folder. The environment holds only the PATH. */
  constructor(folder: string, args: readonly string[], environment: Record<string, string> = {}) {
    const env = { PATH: process.env['PATH'] ?? '', ...environment }
    this.child = spawn(process.execPath, [MAIN, ...args], { env, cwd: folder })
    this.child.stdout.on('data', (data: Buffer) => (this.stdout += data.toString()))
    this.child.stderr.on('data', (data: Buffer) => (this.stderr += data.toString()))
  }

  /** Its address, when it is ready. */
  async ready(): Promise<string> {
    for (;;) {
      const url = /address {2}(\S+)/.exec(this.stdout)?.[1]
      if (url !== undefined) return url
      if (this.ended) throw new Error(`It ended: ${this.stderr}`)
      await sleep(20)
    }
  }

  /** Whether it has ended, by itself or by a signal. */
  get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** Its exit code. */
  async exit(): Promise<number | null> {
    if (this.ended) return this.child.exitCode
    const [code] = (await once(this.child, 'close')) as [number | null]
    return code
  }

  /** Stops it, as a supervisor would. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM')
    await this.exit()
  }
}
