import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nextMessage } from '../harness/next-message.ts'
import type { ServiceReport } from './service-report.ts'

const ENTRY = fileURLToPath(new URL('./service-process.ts', import.meta.url))

/** A service with prepared responses, in a separate process: its cost is separate from the client's. */
export class Service {
  /** Address without `/v1`. */
  readonly origin: string
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, port: number) {
    this.#process = process
    this.origin = `http://127.0.0.1:${port}`
  }

  static async start(): Promise<Service> {
    const child = fork(ENTRY, { stdio: ['ignore', process.stderr, process.stderr, 'ipc'] })
    return new Service(child, await nextMessage<number>(child))
  }

  /** Requests since the last report. Clears the list. */
  async report(): Promise<ServiceReport> {
    const report = nextMessage<ServiceReport>(this.#process)
    this.#process.send('report')
    return report
  }

  stop(): void {
    this.#process.kill()
  }
}
