/** Counts requests over all processes of a cluster. */
export interface RequestCounter {
  /**
   * Counts a request of a key in the key's current window, or in a new one that starts now.
   * @param window Length of a new window, in milliseconds.
   * @returns The requests in the window, this one included, and the milliseconds left of it.
   */
  count(key: string, window: number): Promise<{ readonly amount: number; readonly left: number }>
}
