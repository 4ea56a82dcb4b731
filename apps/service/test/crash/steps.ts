import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Something that a watched process has done about what must outlast a power cut. */
export type Step = (
  | { readonly step: 'request' }
  /** The data of a file was synced; `copy` is what it was before; `restored`: by a power cut's repair, not by a process. */
  | {
      readonly step: 'file'
      readonly path: string
      readonly inode: number
      readonly copy: string
      readonly restored?: true
    }
  /** The names of a folder were synced: the inode of each. */
  | { readonly step: 'folder'; readonly path: string; readonly names: Readonly<Record<string, number>> }
  /** A transaction that changed something was committed, on a connection with these settings. */
  | { readonly step: 'commit'; readonly journal: string; readonly synchronous: number }
  /** The first byte of an answer is about to go out. */
  | { readonly step: 'answer'; readonly status: number }
) & {
  /** The Idempotency-Key of the request it was done for. */
  readonly request?: string
}

/** `PRAGMA synchronous` where each commit syncs the write-ahead log before it returns. */
export const FULL = 2

/** Where the steps are written, one JSON object a line. */
export function stepsFile(folder: string): string {
  return join(folder, 'steps.jsonl')
}

/** The steps of all processes that were watched, in their order. A line that a crash has cut is left out. */
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
