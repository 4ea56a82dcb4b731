import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { checkRemains } from './check-remains.ts'
import { crashOnce, type CrashTerms, type Fault } from './crash-once.ts'
import { filesOf, withParts } from './load.ts'
import { type Program, type ProgramOptions, startProgram } from './program.ts'
import { readSteps, type Step } from './steps.ts'
import { checkSyncs } from './sync-counts.ts'
import { checkFileList } from './writes/file-write.ts'
import { makeWrites } from './writes/make-writes.ts'
import type { Write } from './writes/write.ts'

/** Options of {@link runCrashRounds}. */
export interface CrashOptions {
  readonly rounds: number
  /** Decides when the service is killed, and the order of the writes. */
  readonly seed: number
  /** @default nowhere */
  readonly log?: (line: string) => void
}

/** Result of all rounds. */
export interface CrashReport {
  /** All writes, with their prerequisites. */
  readonly writes: readonly Write[]
  /** Writes that were acknowledged before the last start. */
  readonly acknowledged: ReadonlySet<Write>
  /** How each write ended, if without a fault. */
  readonly ends: ReadonlyMap<Write, string>
  /** Faults: none are allowed. */
  readonly faults: readonly Fault[]
  /** Received webhooks, repeats included. */
  readonly calls: number
  readonly steps: readonly Step[]
}

/** Largest number of steps before the service kills itself. */
const MOST_STEPS = 300
/** One of this many webhook calls is refused, if its message is new. */
const EVERY_CALL = 7

/**
 * Kills a working service again and again on one folder, then lets it finish and checks everything. In every other
 * round a clock decides when. In the others the service kills itself between two steps of its writes or its start.
 * After half of the rounds, unsynced data is lost too.
 */
export async function runCrashRounds(options: CrashOptions): Promise<CrashReport> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-audio-crash-')))
  const places = { dataDir: join(folder, 'data'), stepsFolder: join(folder, 'steps') }
  for (const path of Object.values(places)) await mkdir(path)
  // Some calls are refused at first: crashes must also cut off retries.
  const receiver = await startReceiver(({ headers }, before) => {
    const isNew = before.every((call) => call.headers['webhook-id'] !== headers['webhook-id'])
    return isNew && before.length % EVERY_CALL === 0 ? 503 : 204
  })
  try {
    return await crashAndFinish(places, receiver, options)
  } finally {
    receiver.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function crashAndFinish(places: ProgramOptions, receiver: Receiver, options: CrashOptions): Promise<CrashReport> {
  const faults: Fault[] = []
  const onFault = (fault: string, write?: Write): void => {
    // A fault repeats at every check.
    if (faults.every((known) => known.fault !== fault)) faults.push({ fault, write })
  }
  const sent = (await crashAll(places, receiver.url, options, onFault)).filter((write) => write.sent)
  const acknowledged = new Set(withParts(sent).filter((write) => write.acknowledged))
  const ends = await finish(await startProgram(places), sent, onFault)
  for (const fault of await checkRemains(places.dataDir, sent, receiver.calls)) onFault(fault)
  const steps = await readSteps(places.stepsFolder)
  const writes = withParts(sent).filter((write) => write.sent)
  for (const fault of checkSyncs(steps, writes)) onFault(fault)
  return { writes, acknowledged, ends, faults, calls: receiver.calls.length, steps }
}

/** All rounds. @returns Their writes. */
async function crashAll(
  places: ProgramOptions,
  webhookUrl: string,
  { rounds, seed, log = () => undefined }: CrashOptions,
  onFault: (fault: string, write?: Write) => void,
): Promise<Write[]> {
  const random = new Random(seed)
  const requests: Write[] = []
  const commands: Write[] = []
  for (let round = 0; round < rounds; round += 1) {
    const made = makeWrites(round, webhookUrl, random)
    requests.push(...made.requests)
    // Commands start slowly: in the next round, the interrupted ones go first.
    if (commands.every(({ acknowledged }) => acknowledged)) commands.push(...made.commands)
    const own = { ...made, commands: commands.filter(({ acknowledged }) => !acknowledged) }
    const how = await crashOnce(places, own, {
      random,
      writes: [...requests, ...commands],
      onFault,
      crashAfter: round % 2 === 0 ? undefined : random.whole(1, MOST_STEPS),
      losesPower: random.next() < 0.5,
    })
    const answered = withParts([...own.requests, ...own.commands]).filter(({ acknowledged }) => acknowledged)
    log(`round ${round + 1}: ${answered.length} acknowledged, killed ${how}`)
  }
  return [...requests, ...commands]
}

/**
 * After the last start: checks every write closely, waits for its end, and stops the service.
 * @returns How each write ended, if without a fault.
 */
async function finish(
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
