import type { CrashTerms } from './crash-once.ts'
import { filesOf, withParts } from './load.ts'
import type { Program } from './program.ts'
import { checkFileList } from './writes/file-write.ts'
import type { Write } from './writes/write.ts'

/**
 * After the last start: checks every write closely, waits for its end, and stops the service.
 * @returns How each write ended, if without a fault.
 */
export async function finish(
  program: Program,
  writes: readonly Write[],
  onFault: CrashTerms['onFault'],
): Promise<ReadonlyMap<Write, string>> {
  const ends = new Map<Write, string>()
  // A write settles before its prerequisite: a deletion removes its prerequisite.
  for (const write of withParts(writes).toReversed()) {
    if (write.doomed || !write.sent) continue
    try {
      ends.set(write, await write.settle(program))
    } catch (error) {
      onFault(String(error), write)
    }
  }
  for (const tenant of ['first', 'second'] as const) {
    const listed = checkFileList(program, { tenant, key: 'list' }, filesOf(writes, tenant))
    await listed.catch((error: unknown) => onFault(String(error)))
  }
  await program.stop()
  return ends
}
