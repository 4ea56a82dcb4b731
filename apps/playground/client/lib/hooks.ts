import { useEffect } from 'react'

/** While `active`, the browser asks before the page is left: something would be lost that nothing else holds. */
export function useLeaveQuestion(active: boolean): void {
  useEffect(() => {
    if (!active) return undefined
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [active])
}

/** Milliseconds after which a page that the user was asked about, and that is still there, stays. */
const STAYS_MS = 2000

let leavesUntil = 0

/** Learns when the page is about to go, for {@link isLeaving}. */
export function watchLeaving(): void {
  addEventListener('beforeunload', () => (leavesUntil = performance.now() + STAYS_MS))
  addEventListener('pagehide', () => (leavesUntil = Infinity))
  addEventListener('pageshow', () => (leavesUntil = 0))
}

/** Whether the page is about to go. The browser ends its requests then: that is no failure of theirs. */
export function isLeaving(): boolean {
  return performance.now() < leavesUntil
}

/**
 * Runs work that belongs to an id unless another tab runs it now. The browser frees the lock of a page that is gone.
 * Without locks, as in an old browser, it runs.
 * @returns whether it ran
 */
export async function runAlone(id: string, work: () => Promise<void>): Promise<boolean> {
  // A page that is not secure has no locks.
  const locks: LockManager | null | undefined = navigator.locks
  if (!locks) {
    await work()
    return true
  }
  let hasRun = false
  const run = async (): Promise<void> => {
    hasRun = true
    await work()
  }
  try {
    return await locks.request(`svc-audio.${id}`, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await run()
      return lock !== null
    })
  } catch (error) {
    if (hasRun) throw error
    // A page without storage gets no lock.
    await run()
    return true
  }
}
