/** Time and timers. A test replaces the clock to control them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `run` once after `milliseconds`. The returned function cancels it. The timer keeps no process alive. */
  setTimer(milliseconds: number, run: () => void): () => void
}

/** Time that a step of the wall clock must last before it counts, in milliseconds. */
const PATIENCE_MS = 5 * 60_000

/** A larger difference between the two clocks is a step, in milliseconds. */
const STEP_MS = 1000

/** Options of {@link createWallClock}. */
interface WallClockOptions {
  /** The wall clock, in milliseconds since 1970. @default Date.now */
  readonly wall?: () => number
  /** A clock that never steps, in milliseconds. @default performance.now */
  readonly steady?: () => number
}

/**
 * Makes the time of the service, in milliseconds since 1970. It starts with the wall clock and never goes back: leases
 * and retries would wait until the clock has caught up. It ignores a step forward that lasts less than five minutes:
 * everything stored would expire. A clock that was set back counts after a restart.
 */
export function createWallClock({
  wall = Date.now,
  steady = () => performance.now(),
}: WallClockOptions = {}): () => number {
  let offset = wall() - steady()
  let ahead: { readonly step: number; readonly since: number } | undefined
  return () => {
    const now = steady()
    const step = wall() - now - offset
    if (step < STEP_MS) ahead = undefined
    else if (ahead === undefined || Math.abs(step - ahead.step) > STEP_MS) ahead = { step, since: now }
    else if (now - ahead.since >= PATIENCE_MS) {
      offset += step
      ahead = undefined
    }
    return Math.floor(now + offset)
  }
}

/** The time of this process, or of this thread. */
export const wallClockNow: () => number = createWallClock()

/** The clock of the machine. */
export const systemClock: Clock = {
  now: wallClockNow,
  setTimer(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}

/** Largest difference between the clock of a process and that of its database at which it sweeps, in milliseconds. */
export const MOST_OFFSET_MS = 60_000

/** Remembers how far the clock of this process is from that of its database. */
export class ClockOffset {
  #milliseconds = 0

  /** Notes both times. @returns The time of the database. */
  note(own: number, database: number): number {
    this.#milliseconds = own - database
    return database
  }

  /** How far the clock of this process is ahead, in milliseconds. */
  get milliseconds(): number {
    return this.#milliseconds
  }

  /** Whether the clock of this process is of no use for times that others compare. */
  get isOff(): boolean {
    return Math.abs(this.#milliseconds) > MOST_OFFSET_MS
  }
}
