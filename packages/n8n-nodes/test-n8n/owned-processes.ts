import type { ChildProcess } from 'node:child_process'

const owned = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of owned) killGroup(child, 'SIGKILL')
})

/** Kills a process with its group when this process ends, whatever ends it. The process leads a group of its own. */
export function killAtExit(child: ChildProcess): void {
  owned.add(child)
  child.once('exit', () => owned.delete(child))
}

/** Sends a signal to a process and to all that it has started. */
export function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // they have ended by themselves
  }
}
