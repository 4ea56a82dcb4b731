/** Time without new tasks after a task has met an outage, in milliseconds. */
export const OUTAGE_PAUSE_MS = 5000

/**
 * Remembers that the object store was down or the disk was full a moment ago. Workers then claim no task, because they
 * would make its audio in vain.
 */
export class Outage {
  #until = -Infinity

  /** Notes an outage. @param now In milliseconds. */
  note(now: number): void {
    this.#until = now + OUTAGE_PAUSE_MS
  }

  /** Whether the outage may last. @param now In milliseconds. */
  lasts(now: number): boolean {
    return now < this.#until
  }
}
