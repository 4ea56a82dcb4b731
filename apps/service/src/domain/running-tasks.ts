/** The tasks that this process works on. Who ends a task from outside stops its work here. */
export class RunningTasks {
  readonly #stops = new Map<string, () => void>()

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

  /** Stops the work on a task, if this process works on it. */
  stop(taskId: string): void {
    const stop = this.#stops.get(taskId)
    this.#stops.delete(taskId)
    stop?.()
  }
}
