import { access } from 'node:fs/promises'
import { ApiError, SvcAudioError } from '@svc-audio/core'

/** A command line that cannot be carried out as it stands. Its message names the remedy. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The streams of a program. */
export interface Terminal {
  /** Results. */
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean }
  /** Progress and errors. */
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
  /** What `-` reads. */
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
}

/** One line of progress, on a terminal only. */
export class Progress {
  readonly #stream: Terminal['stderr']
  #shown = false

  constructor(stream: Terminal['stderr']) {
    this.#stream = stream
  }

  /** Replaces the line. */
  show(text: string): void {
    if (this.#stream.isTTY !== true) return
    this.#stream.write(`\r\u001B[2K${text.slice(0, (this.#stream.columns ?? 80) - 1)}`)
    this.#shown = true
  }

  /** Removes the line. */
  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001B[2K')
    this.#shown = false
  }

  /** Prints a line that stays, e.g. an error. */
  say(line: string): void {
    this.clear()
    this.#stream.write(`${line}\n`)
  }
}

/** Waits until a stream that is full takes more, or is closed. */
export function drained(stream: NodeJS.WritableStream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = (): void => {
    stream.off('drain', done).off('close', done)
    resolve()
  }
  stream.on('drain', done).on('close', done)
  return promise
}

/** Whether a path exists. */
export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** A time as a person writes it: `1:05`, `1:15:05`. */
export function clockTime(seconds: number): string {
  const whole = Math.floor(seconds)
  const minutes = Math.floor(whole / 60) % 60
  const tail = String(whole % 60).padStart(2, '0')
  return whole < 3600 ? `${minutes}:${tail}` : `${Math.floor(whole / 3600)}:${String(minutes).padStart(2, '0')}:${tail}`
}

/** One line for an error that a person can act on, and the stack of a defect. */
export function describeError(error: unknown): string {
  // A person who runs files knows no method and no address of the request.
  if (error instanceof ApiError) return error.serviceMessage ?? error.message
  if (error instanceof UsageError || SvcAudioError.isInstance(error)) return error.message
  if (error instanceof Error && 'syscall' in error) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
