import type { Dispatch, WorkKind } from '../../ports/dispatch.ts'

/** Dispatch within this process. */
export function createDispatch(): Dispatch {
  const listeners: Record<WorkKind, Set<() => void>> = { task: new Set(), webhook: new Set() }
  return {
    announce(kind) {
      for (const run of listeners[kind]) run()
    },
    listen(kind, run) {
      listeners[kind].add(run)
      return () => listeners[kind].delete(run)
    },
  }
}
