/** Work that at most one process of a cluster does at a time. */
export interface LeaderLock {
  /**
   * Runs work unless work of that name is running, or has ended less than `interval` ago on any machine.
   * @param interval Milliseconds. @default 0
   * @returns Whether it ran.
   * @throws What `work` throws
   */
  run(name: string, work: () => Promise<void>, interval?: number): Promise<boolean>
}

/** For a machine of its own: all work runs. */
export const ALONE: LeaderLock = {
  async run(_name, work) {
    await work()
    return true
  },
}
