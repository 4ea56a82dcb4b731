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
  /** The first byte of an answer is about to be sent. */
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

/** The steps of all watched processes, in order. Skips a line cut by a crash. */
export async function readSteps(folder: string): Promise<Step[]> {
  const lines = (await readFile(stepsFile(folder), 'utf8').catch(() => '')).split('\n')
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Step]
    } catch {
      return []
    }
  })
}
