import { basename, dirname } from 'node:path'
import { FULL, type Step } from './steps.ts'
import type { Write } from './writes/write.ts'

/** Syncs for a request before the first byte of its response. */
export interface SyncCounts {
  /** Syncs of file data. */
  readonly files: number
  /** Syncs of the folders `files`, `inputs` and `results`. */
  readonly folders: number
  /** Commits with changes. Each syncs SQLite's write-ahead log. */
  readonly commits: number
}

/**
 * Counts the syncs before each response, by Idempotency-Key, for requests answered at the first attempt. The steps of a
 * repeated request may belong to the killed process.
 */
export function countSyncs(steps: readonly Step[]): ReadonlyMap<string, SyncCounts> {
  const mine = new Map<string, Step[]>()
  for (const step of steps) {
    if (step.request !== undefined) mine.set(step.request, [...(mine.get(step.request) ?? []), step])
  }
  const counts = new Map<string, SyncCounts>()
  for (const [key, own] of mine) {
    const answer = own.findIndex((step) => step.step === 'answer' && step.status === 200)
    if (answer === -1) continue
    const before = own.slice(0, answer)
    if (before.filter(({ step }) => step === 'request').length !== 1) continue
    counts.set(key, {
      files: before.filter(({ step }) => step === 'file').length,
      folders: before.filter(({ step }) => step === 'folder').length,
      commits: before.filter(({ step }) => step === 'commit').length,
    })
  }
  return counts
}

const TASK = { files: 0, folders: 0, commits: 1 }
const OBJECT = { files: 1, folders: 1, commits: 1 }

/** Minimum syncs that each kind of request needs before its response. */
const LEAST: Readonly<Record<string, SyncCounts>> = {
  file: OBJECT,
  'deletion of a file': { files: 0, folders: 1, commits: 1 },
  'dialogue task': TASK,
  'result by url': OBJECT,
  'speech stream': TASK,
  'speech task': TASK,
  'transcription task, file': TASK,
  'transcription task, upload': OBJECT,
  voice: TASK,
  'voice generation task': TASK,
}

/** @returns Commits that did not sync the log, and answers sent before their data was synced. */
export function checkSyncs(steps: readonly Step[], writes: readonly Write[]): string[] {
  const counts = countSyncs(steps)
  const unsynced = steps.filter(
    (step) => step.step === 'commit' && !(step.journal === 'wal' && step.synchronous === FULL),
  )
  const early = writes.flatMap(({ kind, key }) => {
    const [min, own] = [LEAST[kind], counts.get(key)]
    if (min === undefined || own === undefined) return []
    const enough = own.files >= min.files && own.folders >= min.folders && own.commits >= min.commits
    return enough ? [] : [`${key} (${kind}) was answered after ${JSON.stringify(own)}`]
  })
  return unsynced.length === 0 ? early : [...early, `${unsynced.length} commits were not synced`]
}

/** Number of syncs, by folder (`files`, `results`, …) and for the write-ahead log. */
export function totalSyncs(steps: readonly Step[]): Record<string, number> {
  const totals: Record<string, number> = {}
  for (const step of steps) {
    if (step.step === 'file' && step.restored === true) continue
    if (step.step !== 'file' && step.step !== 'folder' && step.step !== 'commit') continue
    const name = step.step === 'commit' ? 'write-ahead log' : nameOf(step.step, step.path)
    totals[name] = (totals[name] ?? 0) + 1
  }
  return totals
}

function nameOf(kind: 'file' | 'folder', path: string): string {
  if (kind === 'folder') return `folder ${basename(path)}`
  const folder = basename(dirname(path))
  // Each upload has a separate folder.
  return `data in ${folder.startsWith('upload-') ? 'uploads' : folder}`
}
