/** ffmpeg failed. The message is for logs: it may name paths. */
export class FfmpegError extends Error {
  override readonly name = 'FfmpegError' as const
  /** Exit code; `undefined` when a signal ended ffmpeg or it never started. */
  readonly exitCode: number | undefined
  /** Signal that ended ffmpeg, for example `SIGSEGV`. */
  readonly exitSignal: string | undefined
  /** End of ffmpeg's standard error. */
  readonly stderr: string

  constructor(exit: { readonly code?: number | null; readonly signal?: string | null }, stderr: string) {
    super(`ffmpeg ended with ${exit.signal ?? `exit code ${exit.code}`}: ${stderr.trim()}`)
    this.exitCode = exit.code ?? undefined
    this.exitSignal = exit.signal ?? undefined
    this.stderr = stderr
  }
}

/** ffmpeg was ended because its own work took too long. */
export class FfmpegTimeoutError extends Error {
  override readonly name = 'FfmpegTimeoutError' as const

  /** @param timeoutSeconds The limit that was passed. */
  constructor(timeoutSeconds: number) {
    super(`ffmpeg was ended after ${timeoutSeconds} s of its own time`)
  }
}
