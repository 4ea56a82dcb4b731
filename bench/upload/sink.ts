import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nextMessage } from '../harness/next-message.ts'
import type { UploadReport } from './upload-report.ts'

const ENTRY = fileURLToPath(new URL('./sink-process.ts', import.meta.url))

/** The upload target, in a separate process: its cost is separate from the client's. */
export class Sink {
  /** Address without `/v1`. */
  readonly origin: string
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, port: number) {
    this.#process = process
    this.origin = `http://127.0.0.1:${port}`
  }

  static async start(): Promise<Sink> {
    const child = fork(ENTRY, { stdio: ['ignore', process.stderr, process.stderr, 'ipc'] })
    return new Sink(child, await nextMessage<number>(child))
  }

  /** Runs one upload and returns its outcome with the sink's report. */
  async during<Outcome>(upload: () => Promise<Outcome>): Promise<{ outcome: Outcome; report: UploadReport }> {
    const arrived = nextMessage<UploadReport>(this.#process)
    // A failed upload may never arrive. Its error is the one to report.
    arrived.catch(() => {})
    return { outcome: await upload(), report: await arrived }
  }

  stop(): void {
    this.#process.kill()
  }
}
