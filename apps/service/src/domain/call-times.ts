/** Numbers about calls of a database. */
export interface CallNumbers {
  readonly count: number
  readonly seconds: number
  /** Since the last read. */
  readonly slowestSeconds: number
}

/** Counts calls of a database, such as commits and claims, and their time. */
export class CallTimes {
  #count = 0
  #milliseconds = 0
  #slowest = 0

  note(milliseconds: number): void {
    this.#count += 1
    this.#milliseconds += milliseconds
    this.#slowest = Math.max(this.#slowest, milliseconds)
  }

  read(): CallNumbers {
    const slowestSeconds = this.#slowest / 1000
    this.#slowest = 0
    return { count: this.#count, seconds: this.#milliseconds / 1000, slowestSeconds }
  }
}
