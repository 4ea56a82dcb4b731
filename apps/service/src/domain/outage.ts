/** Time without new tasks after a task has met an outage, and between two probes of the stores, in milliseconds. */
export const OUTAGE_PAUSE_MS = 5000

/**
 * Remembers that a store did not work a moment ago or that the disk was full. Workers then claim no task, because they
 * would make its audio in vain. In a cluster an outage lasts until a probe has stored and read an object.
 */
export class Outage {
  #until = -Infinity
  #confirmed = true
  #probe: Promise<void> | undefined

  /** Notes an outage. @param now In milliseconds. */
  note(now: number): void {
    this.#until = now + OUTAGE_PAUSE_MS
    this.#confirmed = false
  }

  /** Whether the outage may last. @param now In milliseconds. */
  lasts(now: number): boolean {
    return now < this.#until || this.#probe !== undefined
  }

  /**
   * Whether the stores work. After the pause of an outage it probes them, once for all callers. A failed probe is
   * another outage.
   * @param now Reads the time, in milliseconds.
   * @param probe Throws while a store does not work.
   */
  async isOver(now: () => number, probe: () => Promise<void>): Promise<boolean> {
    if (now() < this.#until) return false
    if (this.#confirmed) return true
    this.#probe ??= this.#run(now, probe)
    await this.#probe
    return this.#confirmed
  }

  async #run(now: () => number, probe: () => Promise<void>): Promise<void> {
    try {
      await probe()
      this.#confirmed = true
    } catch {
      this.note(now())
    } finally {
      this.#probe = undefined
    }
  }
}
