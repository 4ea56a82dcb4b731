/** The tasks that this process works on. Who ends a task from outside stops its work here. */
export class RunningTasks {
  readonly #stops = new Map<string, () => void>()
  readonly #ends = new Set<Promise<void>>()

  /**
   * Enters a task.
   * @param stop Stops the work. It is called at most once.
   * @returns Removes the task.
   */
  enter(taskId: string, stop: () => void): () => void {
    this.#stops.set(taskId, stop)
    return () => {
      if (this.#stops.get(taskId) === stop) this.#stops.delete(taskId)
    }
  }

  /** Holds the end of the service until work on a task has settled. */
  holdEnd(work: Promise<unknown>): void {
    const settled = work.then(
      () => void this.#ends.delete(settled),
      () => void this.#ends.delete(settled),
    )
    this.#ends.add(settled)
  }

  /** Waits for the ends that are held. */
  async ended(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all(this.#ends)
  }

  /** Stops the work on a task, if this process works on it. */
  stop(taskId: string): void {
    const stop = this.#stops.get(taskId)
    this.#stops.delete(taskId)
    stop?.()
  }
}
