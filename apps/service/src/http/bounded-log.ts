/** Options of {@link boundedLog}. */
export interface BoundedLogOptions {
  /** Maximum bytes per second over a longer time. @default 262144 */
  readonly bytesPerSecond?: number
  /** Maximum bytes at once. @default 4194304 */
  readonly burst?: number
  /** Milliseconds of a clock that never goes back. @default performance.now */
  readonly now?: () => number
}

/** A destination of log lines. */
export interface LogDestination {
  write(line: string): unknown
}

/**
 * Bounds the bytes of a log, so that no client fills the disk with lines. Lines over the bound are dropped. The next
 * written line is preceded by their number.
 */
export function boundedLog(destination: LogDestination, options: BoundedLogOptions = {}): LogDestination {
  const { bytesPerSecond = 256 * 1024, burst = 4 * 1024 * 1024, now = () => performance.now() } = options
  let room = burst
  let last = now()
  let dropped = 0
  return {
    write(line) {
      const time = now()
      room = Math.min(burst, room + ((time - last) / 1000) * bytesPerSecond)
      last = time
      if (line.length > room) {
        dropped += 1
        return
      }
      if (dropped > 0) {
        destination.write(
          `${JSON.stringify({ level: 40, time: Date.now(), dropped, msg: 'log lines were dropped' })}\n`,
        )
        dropped = 0
      }
      room -= line.length
      destination.write(line)
    },
  }
}
