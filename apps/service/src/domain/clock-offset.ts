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
