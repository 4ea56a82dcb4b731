import type { ChildProcess } from 'node:child_process'

/** How a child process ended, or why it never started. */
export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly error?: Error
}

/** Waits until a child process has ended and been reaped. Never rejects. Call it before any other `await`. */
export function childExit(child: ChildProcess): Promise<ChildExit> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve({ code: child.exitCode, signal: child.signalCode })
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    // The listener stays, because `kill` and others report through this event too.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, error })
    })
  })
}
