import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../diarization/random.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { checkRemains } from './check-remains.ts'
import { crashOnce, type Fault } from './crash-once.ts'
import { finish } from './finish.ts'
import { withParts } from './load.ts'
import { type ProgramOptions, startProgram } from './program.ts'
import { readSteps, type Step } from './steps.ts'
import { checkSyncs } from './sync-counts.ts'
import { makeWrites } from './writes/make-writes.ts'
import type { Write } from './writes/write.ts'

/** Options of {@link runCrashRounds}. */
export interface CrashOptions {
  readonly rounds: number
  /** Chooses when the service is killed and in which order it is written to. */
  readonly seed: number
  /** @default nowhere */
  readonly log?: (line: string) => void
}

/** What rounds of crashes came to. */
export interface CrashReport {
  /** Everything that was sent, with what it had to write first. */
  readonly writes: readonly Write[]
  /** Those that were answered before the last start. */
  readonly acknowledged: ReadonlySet<Write>
  /** How each write ended, where nothing was wrong with it. */
  readonly ends: ReadonlyMap<Write, string>
  /** What is wrong: nothing may be. */
  readonly faults: readonly Fault[]
  /** Webhooks that came, repeats included. */
  readonly calls: number
  readonly steps: readonly Step[]
}

/** Most steps after which the service kills itself. */
const MOST_STEPS = 300
/** Of how many calls one is refused, if its message has not come before. */
const EVERY_CALL = 7

/**
 * Kills a service in the midst of its work, again and again on one folder, then lets it come to an end and looks at
 * everything. In every other round a clock says when, else the service does itself, between two steps of its writing or
 * of its start; after half of the rounds, what was not synced is lost too.
 */
export async function runCrashRounds(options: CrashOptions): Promise<CrashReport> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-audio-crash-')))
  const places = { dataDir: join(folder, 'data'), stepsFolder: join(folder, 'steps') }
  for (const path of Object.values(places)) await mkdir(path)
  // Some calls are refused at first, so that retries are cut off by crashes too.
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
    // What is wrong once is seen at every look.
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

/** All rounds. @returns What was to be written in them. */
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
    // Commands are slow to start: what a crash has cut off comes first the next time.
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
