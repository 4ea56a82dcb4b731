import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BenchContext } from '../harness/bench-case.ts'
import { nextMessage } from '../harness/next-message.ts'
import type { WarmArgs } from './warm-args.ts'

const ENTRY = fileURLToPath(new URL('./warm-process.ts', import.meta.url))

/** A client in a separate process, which stays alive to stay warm. */
export class WarmContestant {
  readonly #process: ChildProcess

  constructor(context: BenchContext, args: WarmArgs) {
    this.#process = fork(ENTRY, [JSON.stringify(args)], {
      signal: context.signal,
      stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
    })
    // An abort is an error of the process. The next wait for a message reports it.
    this.#process.on('error', () => {})
  }

  /** Sends this many requests. @returns microseconds of CPU a request */
  async send(count: number): Promise<number> {
    const microseconds = nextMessage<number>(this.#process)
    this.#process.send(count)
    return microseconds
  }

  stop(): void {
    this.#process.kill()
  }
}
