/** ffmpeg ended with an error. The message is for logs: it may name paths. */
export class FfmpegError extends Error {
  override readonly name = 'FfmpegError' as const
  /** The exit code; `undefined` when a signal ended it or it never started. */
  readonly exitCode: number | undefined
  /** The signal that ended it, e.g. `SIGSEGV`. */
  readonly exitSignal: string | undefined
  /** The end of what it wrote to standard error. */
  readonly stderr: string

  constructor(exit: { readonly code?: number | null; readonly signal?: string | null }, stderr: string) {
    super(`ffmpeg ended with ${exit.signal ?? `exit code ${exit.code}`}: ${stderr.trim()}`)
    this.exitCode = exit.code ?? undefined
    this.exitSignal = exit.signal ?? undefined
    this.stderr = stderr
  }
}

/** ffmpeg was ended because it took too long over its own work. */
export class FfmpegTimeoutError extends Error {
  override readonly name = 'FfmpegTimeoutError' as const

  /** @param timeoutSeconds The limit that was passed. */
  constructor(timeoutSeconds: number) {
    super(`ffmpeg was ended after ${timeoutSeconds} s of its own time`)
  }
}
