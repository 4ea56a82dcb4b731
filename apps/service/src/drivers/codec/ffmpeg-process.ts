import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Writable } from 'node:stream'

import { lowerPriority } from '@svc-audio/engine-ports/driver'
import { childExit, type ChildExit } from './child-exit.ts'

/** Stored end of standard error, in bytes. */
const STDERR_BYTES = 4096

/** One run of ffmpeg: a child process, or a part of the life of one that stays loaded. */
export interface FfmpegProcess {
  readonly pid: number | undefined
  /** Whether the process starts now. */
  readonly young: boolean
  readonly stdin: Writable
  readonly stdout: AsyncIterable<Buffer>
  /** The end of the run. By then the process has been reaped, unless it stays loaded. */
  readonly exit: Promise<ChildExit>
  /** Reads the end of standard error, after the process has closed it. */
  readMessages(): Promise<string>
  /** Lowers the priority of the process, for good. */
  lowerPriority(nice: number): void
  /** Kills the process, unless the run has succeeded. Does not wait for helper processes that hold its pipes open. */
  kill(): void
}

/** The run of a child process that ends with it. Call this before any `await`. */
export function processOf(child: ChildProcessWithoutNullStreams): FfmpegProcess {
  const messages = new Messages(child)
  return {
    pid: child.pid,
    young: true,
    stdin: child.stdin,
    stdout: child.stdout,
    exit: childExit(child),
    readMessages: () => messages.read(),
    lowerPriority: (nice) => lowerPriority(child.pid, nice),
    kill: () => killWithPipes(child),
  }
}

/** Kills a child and closes its pipes, which a helper process of the child could hold open. */
export function killWithPipes(child: ChildProcessWithoutNullStreams): void {
  child.kill('SIGKILL')
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
}

/** Stores the end of a child's standard error. */
export class Messages {
  #end = Buffer.alloc(0)
  readonly #closed: Promise<unknown>

  constructor({ stderr }: ChildProcessWithoutNullStreams) {
    stderr.on('data', (chunk: Buffer) => {
      this.#end = Buffer.concat([this.#end, chunk]).subarray(-STDERR_BYTES)
    })
    this.#closed = new Promise((resolve) => void stderr.once('close', resolve))
  }

  /** Forgets the messages so far. */
  clear(): void {
    this.#end = Buffer.alloc(0)
  }

  /** Waits until standard error is closed. */
  async read(): Promise<string> {
    await this.#closed
    return this.#end.toString()
  }
}
