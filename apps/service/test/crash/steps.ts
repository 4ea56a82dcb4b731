import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A step of a watched process towards durability. */
export type Step = (
  | { readonly step: 'request' }
  /** A file's data was synced. `copy` holds the data from before the sync; `restored` marks the repair of a power cut. */
  | {
      readonly step: 'file'
      readonly path: string
      readonly inode: number
      readonly copy: string
      readonly restored?: true
    }
  /** A folder's names were synced: the inode of each. */
  | { readonly step: 'folder'; readonly path: string; readonly names: Readonly<Record<string, number>> }
  /** A transaction with changes was committed, under these settings of its connection. */
  | { readonly step: 'commit'; readonly journal: string; readonly synchronous: number }
  /** A call of the thread of the database. */
  | { readonly step: 'call'; readonly id: number }
  /** The results of calls are about to leave the thread of the database: those of the commit before. */
  | { readonly step: 'replies'; readonly ids: readonly number[] }
  /** The first byte of a response is about to be sent. */
  | { readonly step: 'answer'; readonly status: number }
) & {
  /** The Idempotency-Key of the request behind the step. */
  readonly request?: string
}

/** `PRAGMA synchronous` at which each commit syncs the write-ahead log before it returns. */
export const FULL = 2

/** File of the steps, one JSON object a line. */
export function stepsFile(folder: string): string {
  return join(folder, 'steps.jsonl')
}

/**
 * The steps of all watched processes, in order. Skips a line cut by a crash. A commit of the thread of the database is
 * listed for each request whose calls it holds, in place of the calls and replies.
 */
export async function readSteps(folder: string): Promise<Step[]> {
  const lines = (await readFile(stepsFile(folder), 'utf8').catch(() => '')).split('\n')
  const steps = lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Step]
    } catch {
      return []
    }
  })
  return withRequests(steps)
}

function withRequests(steps: readonly Step[]): Step[] {
  const callers = new Map<number, string>()
  const known: Step[] = []
  /** The last commit of the thread, until its replies leave. */
  let open: Step | undefined
  for (const step of steps) {
    if (step.step === 'call') {
      if (step.request !== undefined) callers.set(step.id, step.request)
    } else if (step.step === 'replies') {
      const requests = new Set(step.ids.flatMap((id) => callers.get(id) ?? []))
      if (open !== undefined && requests.size > 0) {
        known.splice(known.indexOf(open), 1, ...Array.from(requests, (request) => ({ ...(open as Step), request })))
      }
      open = undefined
      for (const id of step.ids) callers.delete(id)
    } else {
      known.push(step)
      if (step.step === 'commit' && step.request === undefined) open = step
    }
  }
  return known
}
