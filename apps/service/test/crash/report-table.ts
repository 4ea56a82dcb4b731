import type { CrashReport } from './crash-rounds.ts'
import { countSyncs, type SyncCounts, totalSyncs } from './sync-counts.ts'
import { StreamWrite } from './writes/stream-write.ts'
import { TaskWrite } from './writes/task-write.ts'
import type { Write } from './writes/write.ts'

const COLUMNS = ['kind of write', 'sent', 'acknowledged', 'unanswered', 'stored', 'lost', 'data', 'folders', 'log']

/**
 * The report as text: a line for each kind of write with the fewest syncs before a response, then the ends of tasks, the
 * webhooks, all syncs, and the faults.
 */
export function reportTable(report: CrashReport): string {
  const { writes, faults, calls, steps } = report
  const counts = countSyncs(steps)
  // The line of a deletion includes its prerequisite.
  const lasting = writes.filter(({ doomed }) => !doomed)
  const kinds = [...new Set(lasting.map(({ kind }) => kind))].toSorted()
  const rows = kinds.map((kind) => {
    const own = lasting.filter((write) => write.kind === kind)
    return rowOf(kind, own, report, counts)
  })
  const widths = COLUMNS.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]): string => {
    return row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ')
  }
  return [
    'data, folders, log: fewest syncs before a response',
    line(COLUMNS),
    ...rows.map(line),
    `tasks     ${tally(endsOf(TaskWrite, report))}; webhooks: ${calls} calls`,
    `streams   ${tally(endsOf(StreamWrite, report))}`,
    `synced    ${list(totalSyncs(steps))}`,
    ...faults.map(
      ({ fault, write }) => `WRONG     ${fault}${write === undefined ? '' : ` (${write.kind} ${write.key})`}`,
    ),
    `wrong     ${faults.length}`,
    '',
  ].join('\n')
}

function rowOf(
  kind: string,
  own: readonly Write[],
  { ends, faults, acknowledged }: CrashReport,
  counts: ReadonlyMap<string, SyncCounts>,
): string[] {
  const answered = own.filter((write) => acknowledged.has(write))
  const stored = own.filter((write) => !['unanswered', undefined].includes(ends.get(write)))
  const lost = new Set(faults.flatMap(({ write }) => (write?.kind === kind ? [write] : [])))
  const syncs = own.flatMap(({ key }) => counts.get(key) ?? [])
  const fewest = (of: keyof SyncCounts): string => {
    return syncs.length === 0 ? '-' : String(Math.min(...syncs.map((one) => one[of])))
  }
  const figures = [own.length, answered.length, own.length - answered.length, stored.length, lost.size]
  return [kind, ...figures.map(String), fewest('files'), fewest('folders'), fewest('commits')]
}

function endsOf(kind: typeof TaskWrite | typeof StreamWrite, { writes, ends }: CrashReport): string[] {
  return writes.flatMap((write) => (write instanceof kind ? (ends.get(write) ?? []) : []))
}

function tally(words: readonly string[]): string {
  const totals: Record<string, number> = {}
  for (const word of words) totals[word] = (totals[word] ?? 0) + 1
  return list(totals)
}

function list(totals: Readonly<Record<string, number>>): string {
  const names = Object.keys(totals).toSorted()
  return names.map((name) => `${name} ${totals[name]}`).join(', ')
}
